// Rows as a table. Numbers keep their digits and, where a column has nothing else, stand to the right; what is nested stands as JSON.
import { print, type Node as Json } from "../../src/json/json";
import { VALUE_CHARS_SHOWN } from "../../src/viewers/limits";
import { make } from "../dom";
import type { Source } from "../source";
import { nextIn, pager } from "./pager";
import { partPage } from "./text";

const ROWS = 100;
const COLUMNS_MAX = 200;

export function tableView(source: Source): HTMLElement {
  return pager("Rows", ROWS, async (place) => {
    const { rows, next, cut } = await source.rows(place, ROWS);
    if (cut !== undefined) return partPage("Row", place, cut, next);
    return { body: table(rows, place.from), count: rows.length, next, isPart: false };
  });
}

/** Rows that are there already. */
export function rowsView(rows: readonly Json[]): HTMLElement {
  return pager("Rows", ROWS, ({ from }) => {
    const page = rows.slice(from - 1, from - 1 + ROWS);
    return Promise.resolve({ body: table(page, from), count: page.length, next: nextIn(rows.length, from, ROWS), isPart: false });
  });
}

/** The names of the columns, in the order in which they first come. */
export function columnsOf(rows: readonly Json[]): string[] {
  const names = new Set<string>();
  for (const row of rows) if (row.kind === "object") for (const [name] of row.members) names.add(name);
  return [...names].slice(0, COLUMNS_MAX);
}

function table(rows: readonly Json[], from: number): HTMLElement {
  const columns = columnsOf(rows);
  const cells = rows.map((row) => new Map(row.kind === "object" ? row.members : []));
  const isAmount = columns.map((name) => cells.every((row) => isNumeric(row.get(name))));
  const kind = (at: number): { class?: string } => (isAmount[at] ? { class: "host-amount" } : {});
  const head = columns.map((name, at) => make("th", { scope: "col", ...kind(at) }, name));
  const body = cells.map((row, at) => {
    const line = make("th", { scope: "row", class: "host-line" }, String(from + at));
    return make("tr", {}, line, ...columns.map((name, column) => cell(row.get(name), kind(column))));
  });
  const first = make("tr", {}, make("th", { scope: "col", class: "host-line" }, "#"), ...head);
  return make("table", { class: "host-table" }, make("thead", {}, first), make("tbody", {}, ...body));
}

/** Whether a cell is a number, or empty among numbers. */
function isNumeric(value: Json | undefined): boolean {
  if (value === undefined || value.kind === "null" || value.kind === "number") return true;
  return value.kind === "string" && /^(-?\d[\d,]*(\.\d+)?%?)?$/.test(value.value);
}

function cell(value: Json | undefined, attributes: { class?: string }): HTMLElement {
  if (value === undefined || value.kind === "null") return make("td", attributes);
  const text = value.kind === "string" ? value.value : print(value);
  if (text.length <= VALUE_CHARS_SHOWN) return make("td", attributes, text);
  return make("td", attributes, `${text.slice(0, VALUE_CHARS_SHOWN)}…`);
}
