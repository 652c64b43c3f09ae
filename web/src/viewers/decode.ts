// Bytes to text: UTF-8 unless a byte order mark says otherwise. A cut end is not an error.

export interface Decoded {
  text: string;
  encoding: "utf-8" | "utf-16le" | "utf-16be";
  /** Whether some bytes were no text in this encoding, and stand as U+FFFD. */
  isDamaged: boolean;
  /** Whether this looks like no text at all. */
  isBinary: boolean;
}

const SNIFFED_BYTES = 8192;

export function encodingOf(bytes: Uint8Array): Decoded["encoding"] {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return "utf-8";
}

/** Decodes a whole file, or its head when `isWhole` is false: then a character cut in two is left out. */
export function decode(bytes: Uint8Array, isWhole = true): Decoded {
  const encoding = encodingOf(bytes);
  const text = new TextDecoder(encoding).decode(bytes, { stream: !isWhole });
  const isBinary = encoding === "utf-8" && bytes.subarray(0, SNIFFED_BYTES).includes(0);
  return { text, encoding, isDamaged: text.includes("\ufffd"), isBinary };
}
