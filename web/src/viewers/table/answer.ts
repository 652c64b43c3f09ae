// What a table's worker is asked and answers.
import { parse, type Node } from "../../json/json";
import { decode } from "../decode";
import { readCsv } from "./csv";
import { arrange, columnFacts, type ColumnFacts, type Sort } from "./order";
import type { Packed } from "./packed";
import { readJsonLines, readRows, rowsOf } from "./records";

export type Format = "csv" | "tsv" | "json" | "lines";

export type Request =
  | { ask: "read"; bytes: Uint8Array; format: Format; isCut: boolean }
  | { ask: "arrange"; turn: number; sort: Sort | undefined; anywhere: string; byColumn: [number, string][] };

export type Answer =
  | { tell: "read"; table: Packed; facts: ColumnFacts[] }
  | { tell: "problem"; message: string }
  | { tell: "arranged"; turn: number; rows: Uint32Array };

/** Reads bytes of any of the formats; the sentence says why it is no table. */
export function readTable(bytes: Uint8Array, format: Format, isCut: boolean): Packed | { problem: string } {
  if (format === "csv" || format === "tsv") {
    const first = decode(bytes.subarray(0, 4));
    const plain = first.encoding === "utf-8" ? bytes : new TextEncoder().encode(decode(bytes, !isCut).text);
    return readCsv(plain, { isCut, ...(format === "tsv" ? { delimiter: "\t" } : {}) });
  }
  const text = decode(bytes, !isCut).text;
  if (format === "lines") return readJsonLines(text, isCut);
  let root: Node;
  try {
    root = parse(text);
  } catch (error) {
    return { problem: `This is not JSON: ${error instanceof Error ? error.message : String(error)}.` };
  }
  const rows = rowsOf(root);
  return rows ? readRows(rows) : { problem: "This JSON has no rows: a table is made of a list of objects." };
}

/** A table that answers: what it holds, and its rows by sort and filter. */
export class TableModel {
  readonly facts: ColumnFacts[];

  constructor(readonly table: Packed) {
    this.facts = columnFacts(table);
  }

  arrange(request: Extract<Request, { ask: "arrange" }>): Uint32Array {
    const filter = { anywhere: request.anywhere, byColumn: new Map(request.byColumn) };
    return arrange(this.table, this.facts.map((facts) => facts.type), request.sort, filter);
  }
}
