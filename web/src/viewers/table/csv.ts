// CSV and TSV to a packed table, byte by byte: quotes, doubled quotes, line ends of every kind, rows of
// any length. Never fails: what is odd is read as well as it can be, and said.
import { number } from "../../ui/format";
import { TABLE_CELLS_MAX, TABLE_COLUMNS_MAX, TABLE_ROWS_MAX } from "../limits";
import { cellText, Packer, type Packed } from "./packed";

export interface CsvOptions {
  /** The delimiter; found out from the first lines where it is not given. */
  delimiter?: string;
  rowsMax?: number;
  columnsMax?: number;
  cellsMax?: number;
  /** Whether the bytes are a head, so that their last line may be cut. */
  isCut?: boolean;
}

const QUOTE = 0x22;
const CR = 0x0d;
const LF = 0x0a;

export function readCsv(bytes: Uint8Array, options: CsvOptions = {}): Packed {
  const rowsMax = options.rowsMax ?? TABLE_ROWS_MAX;
  const columnsMax = options.columnsMax ?? TABLE_COLUMNS_MAX;
  const cellsMax = options.cellsMax ?? TABLE_CELLS_MAX;
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const delimiter = (options.delimiter ?? sniffDelimiter(bytes.subarray(start))).charCodeAt(0);
  const packer = new Packer(bytes.length);
  let widest = 0;
  let columnsCut = 0;
  let isFull = false;
  let at = start;

  while (at < bytes.length) {
    if (packer.rowCount > rowsMax || packer.cellCount >= cellsMax) {
      isFull = true;
      break;
    }
    if (bytes[at] === LF || bytes[at] === CR) {
      at += 1;
      continue;
    }
    packer.beginRow();
    let column = 0;
    for (;;) {
      const isKept = column < columnsMax;
      at = readCell(bytes, at, delimiter, isKept ? packer : undefined);
      if (isKept) packer.endCell();
      column += 1;
      if (bytes[at] !== delimiter || at >= bytes.length) break;
      at += 1;
    }
    columnsCut = Math.max(columnsCut, column - columnsMax);
    widest = Math.max(widest, Math.min(column, columnsMax));
  }
  return withHeader(packer.finish([], remarksOf({ isFull, columnsCut, rowsMax, columnsMax })), widest, options);
}

/** Reads one cell into the packer and answers where it ended: at a delimiter, a line end or the end. */
function readCell(bytes: Uint8Array, from: number, delimiter: number, packer: Packer | undefined): number {
  let at = from;
  if (bytes[at] === QUOTE) {
    at += 1;
    let runStart = at;
    while (at < bytes.length) {
      if (bytes[at] !== QUOTE) {
        at += 1;
        continue;
      }
      packer?.pushBytes(bytes, runStart, at);
      if (bytes[at + 1] === QUOTE) {
        packer?.pushByte(QUOTE);
        at += 2;
        runStart = at;
        continue;
      }
      at += 1;
      runStart = at;
      break;
    }
    // After the closing quote (or without one, at the end): whatever stands there still belongs to the cell.
    if (at >= bytes.length) {
      packer?.pushBytes(bytes, Math.min(runStart, bytes.length), bytes.length);
      return bytes.length;
    }
  }
  const plainStart = at;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === delimiter || byte === LF || byte === CR) break;
    at += 1;
  }
  packer?.pushBytes(bytes, plainStart, at);
  return at;
}

/** The delimiter that splits the first lines most evenly, commas where none does. */
export function sniffDelimiter(bytes: Uint8Array): string {
  const lines = new TextDecoder().decode(bytes.subarray(0, 16_384)).split(/\r\n|\n|\r/).slice(0, 20);
  const whole = lines.length > 1 ? lines.slice(0, -1) : lines;
  let best = ",";
  let bestScore = 0;
  for (const candidate of [",", "\t", ";", "|"]) {
    const counts = whole.filter((line) => line !== "").map((line) => countOutsideQuotes(line, candidate));
    const least = Math.min(...counts);
    const score = counts.length > 0 && least > 0 ? least + counts.filter((count) => count === counts[0]).length / counts.length : 0;
    if (score > bestScore) [best, bestScore] = [candidate, score];
  }
  return best;
}

function countOutsideQuotes(line: string, delimiter: string): number {
  let count = 0;
  let isQuoted = false;
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted;
    else if (character === delimiter && !isQuoted) count += 1;
  }
  return count;
}

/** Takes the first row for the names of the columns, and names the rest by their letter. */
function withHeader(table: Packed, widest: number, options: CsvOptions): Packed {
  const columns: string[] = [];
  const hasRows = table.starts.length > 1;
  const named = hasRows ? (table.starts[1] ?? 0) : 0;
  const seen = new Map<string, number>();
  for (let column = 0; column < widest; column += 1) {
    const given = column < named ? cellText(table, 0, column, 1000).trim() : "";
    const name = given === "" ? `column ${column + 1}` : given;
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    columns.push(times === 1 ? name : `${name} (${times})`);
  }
  const remarks = [...table.remarks];
  let starts = hasRows ? table.starts.subarray(1) : table.starts;
  if (options.isCut && starts.length > 2) {
    starts = starts.subarray(0, starts.length - 1);
    remarks.push("The file goes on; its last line here was cut and is left out.");
  }
  const ragged = countRagged(starts, widest);
  if (ragged > 0) remarks.push(`${number(ragged)} ${ragged === 1 ? "row has" : "rows have"} fewer cells than there are columns.`);
  return { ...table, columns, starts: starts.slice(), remarks };
}

function countRagged(starts: Uint32Array, widest: number): number {
  let count = 0;
  for (let row = 0; row + 1 < starts.length; row += 1) {
    if ((starts[row + 1] ?? 0) - (starts[row] ?? 0) < widest) count += 1;
  }
  return count;
}

function remarksOf(facts: { isFull: boolean; columnsCut: number; rowsMax: number; columnsMax: number }): string[] {
  const remarks: string[] = [];
  if (facts.isFull) remarks.push(`Only the first rows are shown: a table shows at most ${number(facts.rowsMax)} rows here.`);
  if (facts.columnsCut > 0) {
    remarks.push(
      `Only the first ${number(facts.columnsMax)} columns are shown; ${number(facts.columnsCut)} more are in the file.`,
    );
  }
  return remarks;
}
