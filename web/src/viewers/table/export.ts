// Rows out of a table again: TSV for the clipboard, CSV for a file.
//
// A spreadsheet runs a cell that begins like a formula. In an export such a cell gets an apostrophe in
// front, which spreadsheets show as text; plain numbers keep their sign. The clipboard gets it too,
// because it is pasted into the same programs.
import { numberOf } from "./order";
import { cellText, type Packed } from "./packed";

export interface Cells {
  rows: ArrayLike<number>;
  columns: readonly number[];
}

/** The cell as text that no spreadsheet takes for a formula. */
export function neutralised(text: string): string {
  if (!/^[\s\u0000]*[=+\-@\uff1d\uff0b\uff0d\uff20|]/.test(text) && !/^[\t\r\n]/.test(text)) return text;
  return Number.isNaN(numberOf(text)) ? `'${text}` : text;
}

export function csvCell(text: string): string {
  const safe = neutralised(text);
  return /[",\r\n\t;]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function tsvCell(text: string): string {
  return neutralised(text).replace(/[\t\r\n]+/g, " ");
}

/** Rows as CSV with the names of the columns first, in parts that a Blob takes. */
export function csvParts(table: Packed, cells: Cells): string[] {
  const parts = [`${cells.columns.map((column) => csvCell(table.columns[column] ?? "")).join(",")}\r\n`];
  let part = "";
  for (let place = 0; place < cells.rows.length; place += 1) {
    const row = cells.rows[place] ?? 0;
    part += `${cells.columns.map((column) => csvCell(cellText(table, row, column))).join(",")}\r\n`;
    if (part.length > 65_536) {
      parts.push(part);
      part = "";
    }
  }
  if (part !== "") parts.push(part);
  return parts;
}

/** Rows as tab-separated lines, with the names of the columns where asked for. */
export function tsv(table: Packed, cells: Cells, withNames: boolean): string {
  const lines = withNames ? [cells.columns.map((column) => tsvCell(table.columns[column] ?? "")).join("\t")] : [];
  for (let place = 0; place < cells.rows.length; place += 1) {
    const row = cells.rows[place] ?? 0;
    lines.push(cells.columns.map((column) => tsvCell(cellText(table, row, column))).join("\t"));
  }
  return lines.join("\n");
}
