// A table as three flat arrays: the bytes of all cells one after the other, where each cell ends, and
// which cell each row begins with. A million rows cost a few buffers instead of millions of objects,
// and the buffers pass between the page and its worker without being walked. Rows may be ragged.

export interface Packed {
  columns: string[];
  bytes: Uint8Array;
  /** Where each cell ends in `bytes`; it begins where the one before it ended. */
  ends: Uint32Array;
  /** The number of the first cell of each row, and one more for the end. */
  starts: Uint32Array;
  /** What was left out or odd, in sentences for the person. */
  remarks: string[];
}

export function rowCount(table: Packed): number {
  return Math.max(0, table.starts.length - 1);
}

const DECODER = new TextDecoder();

/** Where a cell's bytes are; `undefined` where the row has no such cell. */
export function cellRange(table: Packed, row: number, column: number): [number, number] | undefined {
  const cell = (table.starts[row] ?? 0) + column;
  if (cell >= (table.starts[row + 1] ?? 0)) return undefined;
  return [cell === 0 ? 0 : (table.ends[cell - 1] ?? 0), table.ends[cell] ?? 0];
}

/** The text of a cell, or its first `bytesMax` bytes; empty where the row has no such cell. */
export function cellText(table: Packed, row: number, column: number, bytesMax = Number.MAX_SAFE_INTEGER): string {
  const range = cellRange(table, row, column);
  if (!range) return "";
  const [start, end] = range;
  if (end - start <= 24) {
    // Short plain cells, the most frequent ones, are faster without a decoder.
    let text = "";
    for (let at = start; at < end; at += 1) {
      const byte = table.bytes[at] ?? 0;
      if (byte > 0x7f) return DECODER.decode(table.bytes.subarray(start, end));
      text += String.fromCharCode(byte);
    }
    return text;
  }
  return DECODER.decode(table.bytes.subarray(start, Math.min(end, start + bytesMax)));
}

/** Grows as cells come. */
export class Packer {
  private bytes: Uint8Array;
  private length = 0;
  private ends = new Uint32Array(4096);
  private cells = 0;
  private starts = new Uint32Array(1024);
  private rows = 0;
  private readonly encoder = new TextEncoder();

  constructor(bytesExpected: number) {
    this.bytes = new Uint8Array(Math.max(1024, bytesExpected));
  }

  get cellCount(): number {
    return this.cells;
  }

  get rowCount(): number {
    return this.rows;
  }

  beginRow(): void {
    if (this.rows + 1 >= this.starts.length) this.starts = grown(this.starts);
    this.starts[this.rows] = this.cells;
    this.rows += 1;
  }

  pushByte(byte: number): void {
    if (this.length >= this.bytes.length) this.reserve(1);
    this.bytes[this.length] = byte;
    this.length += 1;
  }

  pushBytes(source: Uint8Array, start: number, end: number): void {
    this.reserve(end - start);
    this.bytes.set(source.subarray(start, end), this.length);
    this.length += end - start;
  }

  pushText(text: string): void {
    this.reserve(text.length * 3);
    this.length += this.encoder.encodeInto(text, this.bytes.subarray(this.length)).written;
  }

  endCell(): void {
    if (this.cells >= this.ends.length) this.ends = grown(this.ends);
    this.ends[this.cells] = this.length;
    this.cells += 1;
  }

  finish(columns: string[], remarks: string[]): Packed {
    const starts = this.starts.slice(0, this.rows + 1);
    starts[this.rows] = this.cells;
    return { columns, bytes: this.bytes.slice(0, this.length), ends: this.ends.slice(0, this.cells), starts, remarks };
  }

  private reserve(more: number): void {
    const needed = this.length + more;
    if (needed <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, this.bytes.length * 2));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }
}

function grown(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}
