// What a column holds, and the order and choice of rows: everything a worker computes over a table.
import { cellText, rowCount, type Packed } from "./packed";

export type ColumnType = "number" | "date" | "boolean" | "text" | "empty";

export interface ColumnFacts {
  type: ColumnType;
  /** The characters of its longest cell, as far as looked. */
  widest: number;
}

export interface Sort {
  column: number;
  isDescending: boolean;
}

export interface Filter {
  /** Words that any cell of the row must have. */
  anywhere: string;
  /** What the cell of a column must be, by the column's number. */
  byColumn: ReadonlyMap<number, string>;
}

const NUMBER = /^[+-]?(\d+(,\d{3})*|\d*)(\.\d+)?([eE][+-]?\d+)?%?$/;
const DATE = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;
const BOOLEAN = /^(true|false|yes|no)$/i;
const LOOKED_AT_ROWS = 5000;
/** Beyond so many rows text is compared by code units, which is many times faster than by language. */
const COLLATED_ROWS_MAX = 300_000;

/** The number that a cell stands for; NaN where it is none. */
export function numberOf(text: string): number {
  const trimmed = text.trim();
  if (trimmed === "" || !NUMBER.test(trimmed) || !/\d/.test(trimmed)) return Number.NaN;
  const plain = Number(trimmed.replaceAll(",", "").replace("%", ""));
  return trimmed.endsWith("%") ? plain / 100 : plain;
}

function typeOf(text: string): ColumnType {
  if (text.trim() === "") return "empty";
  if (!Number.isNaN(numberOf(text))) return "number";
  if (DATE.test(text.trim())) return "date";
  return BOOLEAN.test(text.trim()) ? "boolean" : "text";
}

/** The type of each column by what its cells look like: one that does not fit makes it text. */
export function columnFacts(table: Packed): ColumnFacts[] {
  const rows = rowCount(table);
  const step = Math.max(1, Math.floor(rows / LOOKED_AT_ROWS));
  return table.columns.map((_, column) => {
    let type: ColumnType = "empty";
    let widest = 0;
    for (let row = 0; row < rows; row += step) {
      const text = cellText(table, row, column, 400);
      widest = Math.max(widest, text.length);
      if (type === "text") continue;
      const found = typeOf(text);
      if (found !== "empty") type = type === "empty" || type === found ? found : "text";
    }
    return { type, widest };
  });
}

/** The rows that pass the filter, in the order of the sort. */
export function arrange(table: Packed, types: readonly ColumnType[], sort: Sort | undefined, filter: Filter): Uint32Array {
  return sortRows(table, types, chooseRows(table, types, filter), sort);
}

function chooseRows(table: Packed, types: readonly ColumnType[], filter: Filter): Uint32Array {
  const tests: ((row: number) => boolean)[] = [];
  for (const [column, wanted] of filter.byColumn) {
    if (wanted.trim() === "") continue;
    const test = cellTest(wanted, types[column] ?? "text");
    tests.push((row) => test(cellText(table, row, column)));
  }
  const words = filter.anywhere.toLowerCase().split(/\s+/).filter((word) => word !== "");
  if (words.length > 0) tests.push((row) => hasWords(table, row, words));
  const rows = rowCount(table);
  const chosen = new Uint32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row += 1) {
    if (tests.every((test) => test(row))) {
      chosen[count] = row;
      count += 1;
    }
  }
  return chosen.slice(0, count);
}

const ROW_DECODER = new TextDecoder();

function hasWords(table: Packed, row: number, words: readonly string[]): boolean {
  // The cells of a row lie side by side, so one decoding reads them all. A word that only occurs over
  // the border of two cells is sorted out by the second look.
  const first = table.starts[row] ?? 0;
  const last = (table.starts[row + 1] ?? 0) - 1;
  if (last < first) return false;
  const start = first === 0 ? 0 : (table.ends[first - 1] ?? 0);
  const all = ROW_DECODER.decode(table.bytes.subarray(start, table.ends[last] ?? 0)).toLowerCase();
  return words.every((word) => {
    if (!all.includes(word)) return false;
    for (let column = 0; column <= last - first; column += 1) {
      if (cellText(table, row, column).toLowerCase().includes(word)) return true;
    }
    return false;
  });
}

/**
 * A test from what the person typed: `>10`, `<=2024-01-01`, `=exact`, `!not this`, `"empty"` by `=`;
 * anything else is contained, whatever its case.
 */
export function cellTest(wanted: string, type: ColumnType): (text: string) => boolean {
  const match = /^\s*(>=|<=|>|<|=|!)\s*(.*?)\s*$/s.exec(wanted);
  const plain = wanted.trim().toLowerCase();
  if (!match) return (text) => text.toLowerCase().includes(plain);
  const operator = match[1] ?? "=";
  const operand = (match[2] ?? "").toLowerCase();
  if (operator === "!") return operand === "" ? (text) => text !== "" : (text) => !text.toLowerCase().includes(operand);
  const number = numberOf(operand);
  if (operator === "=") {
    return (text) => text.trim().toLowerCase() === operand || (!Number.isNaN(number) && numberOf(text) === number);
  }
  if (operand === "") return () => true;
  if (type === "number" && !Number.isNaN(number)) {
    return (text) => compares(operator, numberOf(text) - number);
  }
  return (text) => text !== "" && compares(operator, text.toLowerCase() < operand ? -1 : text.toLowerCase() > operand ? 1 : 0);
}

function compares(operator: string, difference: number): boolean {
  switch (operator) {
    case ">": return difference > 0;
    case ">=": return difference >= 0;
    case "<": return difference < 0;
    default: return difference <= 0;
  }
}

/** Sorts stably; empty cells come last in both directions. */
function sortRows(table: Packed, types: readonly ColumnType[], rows: Uint32Array, sort: Sort | undefined): Uint32Array {
  if (!sort) return rows;
  const direction = sort.isDescending ? -1 : 1;
  const count = rows.length;
  const order = Array.from({ length: count }, (_, place) => place);
  const texts: string[] = new Array<string>(count);
  for (let place = 0; place < count; place += 1) texts[place] = cellText(table, rows[place] ?? 0, sort.column).trim();
  const compareTexts = textComparer(count);
  const compareEmpty = (a: string, b: string) => Number(a === "") - Number(b === "");
  if (types[sort.column] === "number") {
    const numbers = Float64Array.from(texts, numberOf);
    order.sort((a, b) => {
      const left = numbers[a] ?? Number.NaN;
      const right = numbers[b] ?? Number.NaN;
      if (Number.isNaN(left) || Number.isNaN(right)) return Number(Number.isNaN(left)) - Number(Number.isNaN(right)) || a - b;
      // Numbers beyond what a double holds apart are told apart by their digits.
      return direction * (left - right || compareTexts(texts[a] ?? "", texts[b] ?? "")) || a - b;
    });
  } else {
    order.sort((a, b) => {
      const left = texts[a] ?? "";
      const right = texts[b] ?? "";
      return compareEmpty(left, right) || direction * compareTexts(left, right) || a - b;
    });
  }
  return Uint32Array.from(order, (place) => rows[place] ?? 0);
}

function textComparer(count: number): (a: string, b: string) => number {
  if (count <= COLLATED_ROWS_MAX) {
    return new Intl.Collator(undefined, { numeric: true, sensitivity: "variant" }).compare;
  }
  return (a, b) => (a < b ? -1 : a > b ? 1 : 0);
}
