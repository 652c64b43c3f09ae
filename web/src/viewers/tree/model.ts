// A JSON document as rows that can be opened and closed. It runs in a worker for files, and in the page
// for small values, so it answers requests with plain data and knows nothing of the screen.
//
// All values lie in one list in the order of the text. Each knows where its subtree ends, so the rows in
// sight are found by one walk that skips what is closed. That walk costs milliseconds for a million
// values and keeps everything else simple.
import { JsonError, parse, print, type Node } from "../../json/json";
import { VALUE_CHARS_SHOWN } from "../limits";
import { jqPath, type Step } from "./path";

export interface Row {
  /** The number of the value in the document; stays the same whatever is open. */
  id: number;
  depth: number;
  /** The member's name, or the place in the array; absent at the root. */
  step?: Step;
  kind: Node["kind"];
  /** A scalar as it is shown, cut where it is long. */
  text: string;
  /** The characters of a string that is cut. */
  chars?: number;
  /** The members or items of an object or array. */
  size?: number;
  isOpen: boolean;
}

export interface Sight {
  count: number;
  first: number;
  rows: Row[];
}

export interface Found {
  matches: number;
  /** Whether there may be more than were counted. */
  isCut: boolean;
  /** Which match is the current one, from 1, and its row; 0 where there is none. */
  current: number;
  row: number;
}

/** The characters of a value that can be copied at once. */
const COPIED_CHARS_MAX = 32 * 1024 * 1024;
const MATCHES_MAX = 10_000;
/** A new document is open this far: all of it where it is small, else its first levels. */
const OPEN_ROWS_AT_FIRST = 200;

export class TreeModel {
  private nodes: Node[] = [];
  private steps: (Step | undefined)[] = [];
  private parents = new Int32Array(0);
  private depths = new Uint16Array(0);
  private ends = new Uint32Array(0);
  private open = new Uint8Array(0);
  private visible = new Uint32Array(0);
  private query = "";
  private matches: number[] = [];
  private current = -1;

  /** Reads a text; the sentence says what is wrong with it. */
  static ofText(text: string): TreeModel | { problem: string } {
    try {
      return new TreeModel(parse(text));
    } catch (error) {
      if (error instanceof JsonError) return { problem: `Line ${error.line}, column ${error.column}: ${error.message}` };
      throw error;
    }
  }

  constructor(root: Node) {
    this.flatten(root);
    this.openAtFirst();
    this.look();
  }

  get total(): number {
    return this.nodes.length;
  }

  private flatten(root: Node): void {
    const parents: number[] = [];
    const depths: number[] = [];
    const ends: number[] = [];
    // Each entry is a value still to be listed, or (as a number) one whose subtree ends here.
    const stack: ({ node: Node; parent: number; depth: number; step: Step | undefined } | number)[] = [
      { node: root, parent: -1, depth: 0, step: undefined },
    ];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      if (typeof next === "number") {
        ends[next] = this.nodes.length;
        continue;
      }
      const id = this.nodes.length;
      this.nodes.push(next.node);
      this.steps.push(next.step);
      parents.push(next.parent);
      depths.push(next.depth);
      stack.push(id);
      const depth = next.depth + 1;
      if (next.node.kind === "array") {
        const { items } = next.node;
        for (let place = items.length - 1; place >= 0; place -= 1) {
          stack.push({ node: items[place] as Node, parent: id, depth, step: place });
        }
      } else if (next.node.kind === "object") {
        const { members } = next.node;
        for (let place = members.length - 1; place >= 0; place -= 1) {
          const [name, node] = members[place] as [string, Node];
          stack.push({ node, parent: id, depth, step: name });
        }
      }
    }
    this.parents = Int32Array.from(parents);
    this.depths = Uint16Array.from(depths);
    this.ends = Uint32Array.from(ends);
    this.open = new Uint8Array(this.nodes.length);
  }

  /** Opens level by level while the rows stay few; the root is always open. */
  private openAtFirst(): void {
    let rows = 1;
    let level = [0];
    while (level.length > 0) {
      const next: number[] = [];
      for (const id of level) {
        const size = this.sizeOf(id);
        if (size === undefined || (id !== 0 && rows + size > OPEN_ROWS_AT_FIRST)) continue;
        this.open[id] = 1;
        rows += size;
        for (let child = id + 1; child < (this.ends[id] ?? 0); child = this.ends[child] ?? 0) {
          next.push(child);
          if (next.length > OPEN_ROWS_AT_FIRST) break;
        }
      }
      level = rows > OPEN_ROWS_AT_FIRST ? [] : next;
    }
  }

  private sizeOf(id: number): number | undefined {
    const node = this.nodes[id];
    if (node?.kind === "array") return node.items.length;
    return node?.kind === "object" ? node.members.length : undefined;
  }

  private look(): void {
    const visible = new Uint32Array(this.nodes.length);
    let count = 0;
    for (let id = 0; id < this.nodes.length; id = this.open[id] ? id + 1 : (this.ends[id] ?? 0)) {
      visible[count] = id;
      count += 1;
    }
    this.visible = visible.slice(0, count);
  }

  sight(first: number, end: number): Sight {
    const from = Math.max(0, Math.min(first, this.visible.length));
    const to = Math.max(from, Math.min(end, this.visible.length));
    const rows: Row[] = [];
    for (let place = from; place < to; place += 1) rows.push(this.row(this.visible[place] ?? 0));
    return { count: this.visible.length, first: from, rows };
  }

  private row(id: number): Row {
    const node = this.nodes[id] ?? { kind: "null" };
    const row: Row = { id, depth: this.depths[id] ?? 0, kind: node.kind, text: "", isOpen: this.open[id] === 1 };
    const step = this.steps[id];
    if (step !== undefined) row.step = typeof step === "string" ? step.slice(0, VALUE_CHARS_SHOWN) : step;
    const size = this.sizeOf(id);
    if (size !== undefined) row.size = size;
    else row.text = scalarText(node).slice(0, VALUE_CHARS_SHOWN);
    if (node.kind === "string" && node.value.length > VALUE_CHARS_SHOWN) row.chars = node.value.length;
    return row;
  }

  /** The row that shows a value, or the nearest open one around it. */
  placeOf(id: number): number {
    let low = 0;
    let high = this.visible.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.visible[middle] ?? 0) <= id) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }

  setOpen(id: number, isOpen: boolean): void {
    if (this.sizeOf(id) === undefined) return;
    this.open[id] = isOpen ? 1 : 0;
    this.look();
  }

  setAllOpen(isOpen: boolean): void {
    for (let id = 0; id < this.nodes.length; id += 1) {
      this.open[id] = this.sizeOf(id) !== undefined && (isOpen || id === 0) ? 1 : 0;
    }
    this.look();
  }

  parentPlace(id: number): number {
    const parent = this.parents[id] ?? -1;
    return parent < 0 ? 0 : this.placeOf(parent);
  }

  path(id: number): string {
    const steps: Step[] = [];
    for (let at = id; at >= 0; at = this.parents[at] ?? -1) {
      const step = this.steps[at];
      if (step !== undefined) steps.unshift(step);
    }
    return jqPath(steps);
  }

  /** A value to be copied: the text of a string, JSON of anything else. */
  value(id: number): string {
    const node = this.nodes[id] ?? { kind: "null" };
    const text = node.kind === "string" ? node.value : print(node, 2);
    return text.slice(0, COPIED_CHARS_MAX);
  }

  /** Looks for a text in names and scalars, whatever its case, and goes to the next or previous match. */
  find(query: string, direction: 1 | -1, from: number): Found {
    const wanted = query.toLowerCase();
    if (wanted !== this.query) {
      this.query = wanted;
      this.matches = wanted === "" ? [] : this.matchesOf(wanted);
      this.current = this.matches.findIndex((id) => id >= from) - 1;
      if (this.current < -1) this.current = -1;
      direction = 1;
    }
    if (this.matches.length === 0) return { matches: 0, isCut: false, current: 0, row: -1 };
    this.current = (this.current + direction + this.matches.length) % this.matches.length;
    const id = this.matches[this.current] ?? 0;
    let hasOpened = false;
    for (let at = this.parents[id] ?? -1; at >= 0; at = this.parents[at] ?? -1) {
      if (this.open[at]) continue;
      this.open[at] = 1;
      hasOpened = true;
    }
    if (hasOpened) this.look();
    return {
      matches: this.matches.length,
      isCut: this.matches.length >= MATCHES_MAX,
      current: this.current + 1,
      row: this.placeOf(id),
    };
  }

  private matchesOf(wanted: string): number[] {
    const found: number[] = [];
    for (let id = 0; id < this.nodes.length && found.length < MATCHES_MAX; id += 1) {
      const step = this.steps[id];
      const node = this.nodes[id];
      const isNamed = typeof step === "string" && step.toLowerCase().includes(wanted);
      if (isNamed || (node && this.sizeOf(id) === undefined && scalarText(node).toLowerCase().includes(wanted))) found.push(id);
    }
    return found;
  }
}

function scalarText(node: Node): string {
  switch (node.kind) {
    case "null": return "null";
    case "boolean": return node.value ? "true" : "false";
    case "number": return node.text;
    case "string": return node.value;
    default: return "";
  }
}
