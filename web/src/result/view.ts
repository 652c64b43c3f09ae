// Reads what the gateway says about a result into what the tabs show. Everything here is pure, and keeps
// values as nodes, so that numbers keep their digits.
import { member, type Node } from "../json/json";
import { isTabular } from "../viewers/table/records";

export interface ViewFile {
  name: string;
  mime: string;
  size: number;
  sha256: string;
  description?: string;
  shownAs?: string;
  isShowable: boolean;
}

export interface Note {
  rule: string;
  place: string;
  message: string;
  weight?: string;
  leftOut?: Node;
}

export interface View {
  dialect: string;
  isError: boolean;
  results: Node;
  metaData?: Node;
  extra?: Node;
  files: ViewFile[];
  links: Node[];
  canvas?: Node;
  dashboard?: Node;
  notes: Note[];
}

/** A rendering: the document, or the beginning of one that is too long. */
export interface Rendered {
  bytes: number;
  tokens?: number;
  json?: Node;
  head?: string;
}

export interface Lane {
  lane: string;
  text: string;
  tokens: number;
  bytes: number;
}

export interface Seen {
  lanes: Lane[];
  tokens: number;
  bytes: number;
  /** What the server's answer would have been; absent where the gateway does not say. */
  tokensBefore?: number;
  isComplete: boolean;
  /** Files that hold the rest. */
  offloaded: string[];
}

const NULL: Node = { kind: "null" };

export function textOf(node: Node | undefined): string | undefined {
  return node?.kind === "string" ? node.value : undefined;
}

function numberOf(node: Node | undefined): number | undefined {
  return node?.kind === "number" ? Number(node.text) : undefined;
}

function itemsOf(node: Node | undefined): Node[] {
  return node?.kind === "array" ? node.items : [];
}

export function readRendered(node: Node | undefined): Rendered {
  const rendered: Rendered = { bytes: numberOf(member(node, "bytes")) ?? 0 };
  const json = member(node, "json");
  const head = textOf(member(node, "head"));
  const tokens = numberOf(member(node, "tokens"));
  if (tokens !== undefined) rendered.tokens = tokens;
  // A rendering that is in part has a head; a document may be `null` itself.
  if (head !== undefined) rendered.head = head;
  else if (json) rendered.json = json;
  return rendered;
}

export function readView(node: Node): View {
  const view: View = {
    dialect: textOf(member(node, "dialect")) ?? "",
    isError: isTrue(member(node, "is_error")),
    results: member(node, "results") ?? NULL,
    files: itemsOf(member(node, "files")).map(readFile),
    links: itemsOf(member(node, "links")),
    notes: readNotes(member(node, "notes")),
  };
  const metaData = member(node, "meta_data");
  const extra = member(node, "extra");
  const canvas = member(node, "canvas");
  const dashboard = member(node, "dashboard");
  if (metaData) view.metaData = metaData;
  if (extra) view.extra = extra;
  if (canvas) view.canvas = canvas;
  if (dashboard) view.dashboard = dashboard;
  return view;
}

function isTrue(node: Node | undefined): boolean {
  return node?.kind === "boolean" && node.value;
}

function readFile(node: Node): ViewFile {
  const file: ViewFile = {
    name: textOf(member(node, "name")) ?? "file",
    mime: textOf(member(node, "mime")) ?? "",
    size: numberOf(member(node, "size")) ?? 0,
    sha256: textOf(member(node, "sha256")) ?? "",
    isShowable: isTrue(member(node, "showable")),
  };
  const description = textOf(member(node, "description"));
  const shownAs = textOf(member(node, "shown_as"));
  if (description !== undefined) file.description = description;
  if (shownAs !== undefined) file.shownAs = shownAs;
  return file;
}

export function readNotes(node: Node | undefined): Note[] {
  return itemsOf(node).map((item) => {
    const note: Note = {
      rule: textOf(member(item, "rule")) ?? "",
      place: textOf(member(item, "place")) ?? "",
      message: textOf(member(item, "message")) ?? "",
    };
    const weight = textOf(member(item, "weight"));
    const leftOut = member(item, "left_out");
    if (weight !== undefined) note.weight = weight;
    if (leftOut) note.leftOut = leftOut;
    return note;
  });
}

/** What a model sees; from a gateway that does not say it by client, the text that models get. */
export function readSeen(renderings: Node): Seen {
  const model = member(renderings, "model");
  const isComplete = member(model, "complete");
  const offloaded = itemsOf(member(model, "offloaded")).flatMap((item) => textOf(item) ?? []);
  const rest = { isComplete: isComplete === undefined || isTrue(isComplete), offloaded };
  const seen = member(renderings, "seen");
  if (seen?.kind === "object") {
    const lanes = itemsOf(member(seen, "lanes")).map(readLane);
    const sum = (pick: (lane: Lane) => number): number => lanes.reduce((total, lane) => total + pick(lane), 0);
    const read: Seen = {
      lanes,
      tokens: numberOf(member(seen, "tokens")) ?? sum((lane) => lane.tokens),
      bytes: numberOf(member(seen, "bytes")) ?? sum((lane) => lane.bytes),
      ...rest,
    };
    const before = numberOf(member(seen, "tokens_before"));
    if (before !== undefined) read.tokensBefore = before;
    return read;
  }
  const lane = { ...readLane(model ?? NULL), lane: "content" };
  return { lanes: [lane], tokens: lane.tokens, bytes: lane.bytes, ...rest };
}

function readLane(node: Node): Lane {
  return {
    lane: textOf(member(node, "lane")) ?? "content",
    text: textOf(member(node, "text")) ?? "",
    tokens: numberOf(member(node, "tokens")) ?? 0,
    bytes: numberOf(member(node, "bytes")) ?? 0,
  };
}

/** How a result is shown to a person, piece by piece. */
export type Piece =
  | { kind: "nothing" }
  | { kind: "scalar"; text: string; type: "number" | "boolean" }
  | { kind: "text"; text: string }
  | { kind: "markdown"; text: string }
  | { kind: "facts"; members: [string, Node][] }
  | { kind: "rows"; name?: string; rows: Node[] }
  | { kind: "tree"; name?: string; node: Node };

const FACTS_MAX = 24;
const FACT_CHARS_MAX = 600;

/** Takes a result apart: rows become tables, short facts a list, prose is read as prose, the rest is a tree. */
export function piecesOf(node: Node): Piece[] {
  switch (node.kind) {
    case "null": return [{ kind: "nothing" }];
    case "boolean": return [{ kind: "scalar", text: String(node.value), type: "boolean" }];
    case "number": return [{ kind: "scalar", text: node.text, type: "number" }];
    case "string": return [proseOf(node.value)];
    case "array": return [isTabular(node) ? { kind: "rows", rows: node.items } : { kind: "tree", node }];
    case "object": return piecesOfObject(node.members, node);
  }
}

function piecesOfObject(members: [string, Node][], node: Node): Piece[] {
  if (members.length === 0 || members.length > FACTS_MAX) return [{ kind: "tree", node }];
  const facts = members.filter(([, value]) => isFact(value));
  const tables = members.filter(([, value]) => isTabular(value));
  const prose = members.filter(([, value]) => value.kind === "string" && !isFact(value));
  const rest = members.filter((pair) => !facts.includes(pair) && !tables.includes(pair) && !prose.includes(pair));
  // Where most of it is nested, one tree is easier to read than its parts.
  if (facts.length + tables.length + prose.length < members.length && tables.length === 0) return [{ kind: "tree", node }];
  const pieces: Piece[] = [];
  if (facts.length > 0) pieces.push({ kind: "facts", members: facts });
  for (const [, value] of prose) if (value.kind === "string") pieces.push(proseOf(value.value));
  for (const [name, value] of tables) if (value.kind === "array") pieces.push({ kind: "rows", name, rows: value.items });
  for (const [name, value] of rest) pieces.push({ kind: "tree", name, node: value });
  return pieces;
}

function isFact(node: Node): boolean {
  if (node.kind === "string") return node.value.length <= FACT_CHARS_MAX && node.value.split("\n").length <= 4;
  return node.kind === "null" || node.kind === "boolean" || node.kind === "number";
}

function proseOf(text: string): Piece {
  return { kind: isMarkdown(text) ? "markdown" : "text", text };
}

/** Whether a text is written as Markdown: at least one thing that plain text does not have. */
export function isMarkdown(text: string): boolean {
  if (text.length > 200_000) return false;
  return (
    /^#{1,6} \S/m.test(text) || /^(```|~~~)/m.test(text) || /^\|.+\|\s*\n\|[\s:|-]+\|/m.test(text) || /\[[^\]\n]+\]\(https?:\/\/[^)\s]+\)/.test(text) ||
    /\*\*[^*\n]+\*\*/.test(text) || /(^[-*] \S.*\n){2,}/m.test(text)
  );
}

/** The words of an error and what came beside them. */
export function errorOf(results: Node): { message: string; details?: Node } {
  const said = member(results, "error");
  const details = member(results, "details");
  const message = textOf(said) ?? textOf(results) ?? "The tool failed.";
  return details ? { message, details } : { message };
}

/** What was saved, as a share from 0 to 1; absent where nothing was. */
export function savedShare(before: number | undefined, after: number | undefined): number | undefined {
  if (before === undefined || after === undefined || before <= after || before === 0) return undefined;
  return (before - after) / before;
}
