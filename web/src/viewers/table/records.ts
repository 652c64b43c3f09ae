// JSON rows and JSON lines to a packed table. Members of the rows are the columns, in the order in which
// they first come; what is nested stands in its cell as JSON. Numbers keep their digits.
import { member, parse, print, type Node } from "../../json/json";
import { number } from "../../ui/format";
import { TABLE_CELLS_MAX, TABLE_COLUMNS_MAX, TABLE_ROWS_MAX } from "../limits";
import { Packer, type Packed } from "./packed";

/** Where rows may lie when a document is an object around them. */
const WRAPPERS = ["rows", "items", "data", "results", "records", "values"];

/** The rows in a document: an array of objects or of arrays, alone or as the only table in an object. */
export function rowsOf(node: Node): Node[] | undefined {
  if (node.kind === "array") return isRows(node.items) ? node.items : undefined;
  if (node.kind !== "object") return undefined;
  for (const name of WRAPPERS) {
    const inner = member(node, name);
    if (inner?.kind === "array" && isRows(inner.items)) return inner.items;
  }
  return undefined;
}

function isRows(items: readonly Node[]): boolean {
  if (items.length === 0) return false;
  return items.every((item) => item.kind === "object") || items.every((item) => item.kind === "array");
}

/** Whether a value is better read as a table than as a tree: some rows, flat ones, with common members. */
export function isTabular(node: Node): boolean {
  if (node.kind !== "array" || node.items.length < 2 || !isRows(node.items)) return false;
  const looked = node.items.slice(0, 50);
  if (!looked.every((item) => item.kind === "object" && item.members.length > 0 && item.members.length <= 60)) return false;
  const names = new Set<string>();
  let cells = 0;
  let nested = 0;
  for (const item of looked) {
    if (item.kind !== "object") continue;
    for (const [name, value] of item.members) {
      names.add(name);
      cells += 1;
      if ((value.kind === "array" && value.items.length > 0) || (value.kind === "object" && value.members.length > 0)) nested += 1;
    }
  }
  return cells >= (names.size * looked.length) / 2 && nested <= cells / 4;
}

export function readRows(rows: readonly Node[], remarksBefore: readonly string[] = []): Packed {
  const places = new Map<string, number>();
  const columns: string[] = [];
  const remarks = [...remarksBefore];
  let isWideCut = false;
  const placeOf = (name: string): number | undefined => {
    const known = places.get(name);
    if (known !== undefined) return known;
    if (columns.length >= TABLE_COLUMNS_MAX) {
      isWideCut = true;
      return undefined;
    }
    places.set(name, columns.length);
    columns.push(name);
    return columns.length - 1;
  };

  const packer = new Packer(rows.length * 64);
  for (const row of rows) {
    if (packer.rowCount >= TABLE_ROWS_MAX || packer.cellCount >= TABLE_CELLS_MAX) {
      remarks.push(`Only the first ${number(packer.rowCount)} rows are shown; the document has more.`);
      break;
    }
    const cells: (string | undefined)[] = [];
    for (const [name, value] of membersOf(row)) {
      const place = placeOf(name);
      if (place !== undefined) cells[place] = cellOf(value);
    }
    packer.beginRow();
    for (let column = 0; column < cells.length; column += 1) {
      const cell = cells[column];
      if (cell !== undefined) packer.pushText(cell);
      packer.endCell();
    }
  }
  if (isWideCut) remarks.push(`Only the first ${number(TABLE_COLUMNS_MAX)} columns are shown; the rows have more.`);
  return packer.finish(columns, remarks);
}

function membersOf(row: Node): [string, Node][] {
  if (row.kind === "object") return row.members;
  if (row.kind === "array") return row.items.map((item, place) => [`column ${place + 1}`, item]);
  return [["value", row]];
}

/** A value as the text of its cell; null is an empty cell. */
function cellOf(node: Node): string {
  switch (node.kind) {
    case "null": return "";
    case "string": return node.value;
    default: return print(node);
  }
}

/** JSON lines; a line that is no JSON stays as text in a column of its own. */
export function readJsonLines(text: string, isCut = false): Packed {
  const lines = text.split(/\r?\n/);
  if (isCut) lines.pop();
  const rows: Node[] = [];
  let broken = 0;
  for (const line of lines) {
    if (line.trim() === "") continue;
    if (rows.length > TABLE_ROWS_MAX) break;
    try {
      rows.push(parse(line));
    } catch {
      broken += 1;
      rows.push({ kind: "object", members: [["not JSON", { kind: "string", value: line }]] });
    }
  }
  const remarks = broken > 0 ? [`${number(broken)} ${broken === 1 ? "line is" : "lines are"} not JSON.`] : [];
  return readRows(rows, remarks);
}
