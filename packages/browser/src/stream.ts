// A result as bytes on the wire: UTF-8 JSON in which files are base64, written piece by piece, so
// that a file of 50 MB is never whole in memory as text. Small results leave as one string instead.
import { Bytes, type RoughResult } from "./result.js";

/** Room for the stream's number and flags in front of each frame; the hub fills it in. */
export const HEADER_BYTES = 5;

/** JSON text with bytes between: what is to be written, and how long it will be. */
export interface Writing {
  readonly parts: readonly (Uint8Array | Bytes)[];
  readonly size: number;
}

/** Read from a blob at a time; a multiple of three, so that base64 has no padding in the middle. */
const READ_BYTES = 3 * 64 * 1024;

export function writingOf(result: RoughResult): Writing {
  // Bytes stand as a word that no text can have by chance, and are put in where it is found.
  const word = crypto.getRandomValues(new Uint32Array(4)).join("-");
  const found: Bytes[] = [];
  const json = JSON.stringify(result, (_key, value: unknown) =>
    value instanceof Bytes ? `${word}:${found.push(value) - 1}` : value,
  );
  const encoder = new TextEncoder();
  const parts = json.split(new RegExp(`${word}:(\\d+)`)).map((text, at) => {
    const bytes = at % 2 === 1 ? found[Number(text)] : undefined;
    return bytes ?? encoder.encode(text);
  });
  return { parts, size: parts.reduce((sum, part) => sum + sizeOf(part), 0) };
}

function sizeOf(part: Uint8Array | Bytes): number {
  if (!(part instanceof Bytes)) return part.length;
  const length = part.source instanceof Blob ? part.source.size : part.source.length;
  return Math.ceil(length / 3) * 4;
}

/** The whole of it as one string. */
export async function textOf(writing: Writing): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of pieces(writing)) text += decoder.decode(piece, { stream: true });
  return text + decoder.decode();
}

export interface Frame {
  readonly frame: Uint8Array<ArrayBuffer>;
  readonly isLast: boolean;
}

/** The whole of it as frames of at most `frameBytesMax`, each with room for its header. */
export async function* framesOf(writing: Writing, frameBytesMax: number): AsyncGenerator<Frame> {
  let left = writing.size;
  let frame = new Uint8Array(Math.min(frameBytesMax, HEADER_BYTES + left));
  let at = HEADER_BYTES;
  for await (const piece of pieces(writing)) {
    for (let from = 0; from < piece.length;) {
      const some = piece.subarray(from, from + frame.length - at);
      frame.set(some, at);
      at += some.length;
      from += some.length;
      left -= some.length;
      if (at < frame.length) continue;
      yield { frame, isLast: left === 0 };
      frame = new Uint8Array(Math.min(frameBytesMax, HEADER_BYTES + left));
      at = HEADER_BYTES;
    }
  }
}

async function* pieces({ parts }: Writing): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    if (!(part instanceof Bytes)) {
      yield part;
      continue;
    }
    const { source } = part;
    const length = source instanceof Blob ? source.size : source.length;
    for (let from = 0; from < length; from += READ_BYTES) {
      const to = Math.min(length, from + READ_BYTES);
      const bytes =
        source instanceof Blob ? new Uint8Array(await source.slice(from, to).arrayBuffer()) : source.subarray(from, to);
      yield base64(bytes);
    }
  }
}

const ALPHABET = /* @__PURE__ */ new TextEncoder().encode(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=",
);

/** Base64 as bytes. */
export function base64(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
  const sign = (index: number) => ALPHABET[index] ?? 0;
  for (let from = 0, to = 0; from < bytes.length; from += 3, to += 4) {
    const has = bytes.length - from;
    const bits = ((bytes[from] ?? 0) << 16) | ((bytes[from + 1] ?? 0) << 8) | (bytes[from + 2] ?? 0);
    out[to] = sign(bits >> 18);
    out[to + 1] = sign((bits >> 12) & 63);
    out[to + 2] = sign(has > 1 ? (bits >> 6) & 63 : 64);
    out[to + 3] = sign(has > 2 ? bits & 63 : 64);
  }
  return out;
}
