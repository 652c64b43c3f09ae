// Bytes as lines of sixteen, and offsets as people type them.

export const LINE_BYTES = 16;

export function hexLine(bytes: Uint8Array, start: number): { hex: string[]; ascii: string } {
  const hex: string[] = [];
  let ascii = "";
  for (let at = start; at < Math.min(start + LINE_BYTES, bytes.length); at += 1) {
    const byte = bytes[at] ?? 0;
    hex.push(byte.toString(16).padStart(2, "0"));
    ascii += byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·";
  }
  return { hex, ascii };
}

export function hexOffset(offset: number, size: number): string {
  const digits = Math.max(8, Math.ceil(Math.log2(Math.max(2, size)) / 4));
  return offset.toString(16).padStart(digits, "0");
}

/** `1024`, `0x400`, `400h`, `-16` from the end; absent where it is no place in the file. */
export function readOffset(typed: string, size: number): number | undefined {
  const text = typed.trim().toLowerCase().replaceAll(/[,_\s]/g, "");
  let offset: number;
  if (/^0x[0-9a-f]+$/.test(text)) offset = Number.parseInt(text.slice(2), 16);
  else if (/^[0-9a-f]+h$/.test(text)) offset = Number.parseInt(text.slice(0, -1), 16);
  else if (/^-\d+$/.test(text)) offset = size + Number(text);
  else if (/^\d+$/.test(text)) offset = Number(text);
  else return undefined;
  return offset >= 0 && offset < size ? offset : undefined;
}
