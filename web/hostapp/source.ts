// Reads a file by parts, so that a large one never travels whole: as a resource where the host lets an app read
// resources, else by the tool that models read by, which gives smaller pages and text only.
import { fromValue, parse, type Node } from "../src/json/json";
import { isRecord, type Bridge } from "./bridge";
import type { ShownFile } from "./shown";

export const MIB = 1024 * 1024;
/** The gateway gives no more at once. */
const PART_BYTES = MIB;
/** So much is shown of a line or row that is longer than that. */
const START_BYTES = 16 * 1024;

/** Where a page starts. */
export interface Place {
  /** The line or row, counted from 1. */
  from: number;
  /** The byte inside of it, for a line that is longer than a page. */
  at: number;
}

interface Part {
  /** Where it goes on; nothing where this is the last. */
  next: Place | undefined;
  /** Of a single one that is too long to come whole, what there is; it may be nothing. */
  cut: string | undefined;
}

export interface Lines extends Part {
  lines: string[];
}

export interface Rows extends Part {
  rows: readonly Node[];
}

export interface Source {
  /** `count` lines from this place, or fewer where that is too much at once. */
  lines(place: Place, count: number): Promise<Lines>;
  rows(place: Place, count: number): Promise<Rows>;
  /** All bytes, of a file with no more than this many. */
  whole(bytesMax: number): Promise<Uint8Array>;
  /** The type and size, where they were not known yet. */
  head(): Promise<{ mime: string; size: number }>;
}

export class TooLarge extends Error {
  override name = "TooLarge";
}

/** The source of a file, by what the host lets an app do. */
export function sourceOf(bridge: Bridge, capabilities: Record<string, unknown>, file: ShownFile): Source {
  // Hosts that say nothing mostly do both; a refusal is shown as what it is.
  const isByTool = capabilities["serverResources"] === undefined && capabilities["serverTools"] !== undefined;
  return isByTool ? new ToolSource(bridge, file) : new ResourceSource(bridge, file);
}

/** The address of a part. */
export function partOf(uri: string, part: string): string {
  return `${uri}${uri.includes("?") ? "&" : "?"}${part}`;
}

/** Lines of a text in which each has its end. */
export function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
}

interface Content {
  bytes: Uint8Array;
  mime: string;
  size: number | undefined;
}

type Unit = "lines" | "rows";

/** Some of what was asked for: `count` of them, and in the text one more where there is one. */
interface Taken {
  text: string;
  count: number;
  /** One more is there, but had no room. */
  isMore: boolean;
}

class ResourceSource implements Source {
  constructor(
    private readonly bridge: Bridge,
    private readonly file: ShownFile,
  ) {}

  async lines({ from }: Place, count: number): Promise<Lines> {
    const taken = await this.most("lines", from, count);
    if (taken === undefined) return { lines: [], ...(await this.startOf("lines", from)) };
    const lines = linesOf(taken.text);
    return { lines: lines.slice(0, taken.count), next: nextOf(taken, from, lines.length), cut: undefined };
  }

  async rows({ from }: Place, count: number): Promise<Rows> {
    const taken = await this.most("rows", from, count);
    if (taken === undefined) return { rows: [], ...(await this.startOf("rows", from)) };
    const node = parse(taken.text);
    const rows = node.kind === "array" ? node.items : [];
    return { rows: rows.slice(0, taken.count), next: nextOf(taken, from, rows.length), cut: undefined };
  }

  /** As many as there is room for, in few steps; nothing where even one is too much. */
  private async most(unit: Unit, from: number, count: number): Promise<Taken | undefined> {
    for (let wanted = count; wanted >= 1; wanted = Math.floor(wanted / 4)) {
      const text = await this.range(unit, from, from + wanted);
      if (text !== undefined) return { text, count: wanted, isMore: false };
    }
    const text = await this.range(unit, from, from);
    return text === undefined ? undefined : { text, count: 1, isMore: true };
  }

  /** What there is of one that is too long. Only of the first it is known at which byte it starts. */
  private async startOf(unit: Unit, from: number): Promise<Part> {
    const following = await this.range(unit, from + 1, from + 1);
    const isLast = following === "" || following === "[]";
    const start = from === 1 ? (await this.read(`offset=0&length=${START_BYTES}`)).bytes : new Uint8Array();
    // A character that the end of it cuts is left out.
    const cut = new TextDecoder().decode(start, { stream: true });
    return { next: isLast ? undefined : { from: from + 1, at: 0 }, cut };
  }

  /** The text of a range; nothing where it is more than the gateway gives at once. */
  private async range(unit: Unit, from: number, to: number): Promise<string | undefined> {
    try {
      return new TextDecoder().decode((await this.read(`${unit}=${from}-${to}`)).bytes);
    } catch (error) {
      // There is no code of its own for it.
      if (error instanceof Error && /more than \d+ MiB/.test(error.message)) return undefined;
      throw error;
    }
  }

  async whole(bytesMax: number): Promise<Uint8Array> {
    const { size } = await this.head();
    if (size > bytesMax) throw new TooLarge(`more than ${bytesMax / MIB} MiB`);
    const parts: Uint8Array[] = [];
    for (let at = 0; at < size; at += PART_BYTES) {
      const length = Math.min(PART_BYTES, size - at);
      const { bytes } = await this.read(`offset=${at}&length=${length}`);
      // It may be shorter: the gateway takes out of a text what a model is not to have, and puts in no more.
      if (bytes.length === 0 || bytes.length > length) throw new Error("the file changed while it was read");
      parts.push(bytes);
    }
    return joined(parts);
  }

  async head(): Promise<{ mime: string; size: number }> {
    if (this.file.size !== undefined && this.file.mime !== "") return { mime: this.file.mime, size: this.file.size };
    const { mime, size } = await this.read("offset=0&length=0");
    return { mime, size: size ?? 0 };
  }

  private async read(part: string): Promise<Content> {
    const result = await this.bridge.ask("resources/read", { uri: partOf(this.file.uri, part) });
    const contents = isRecord(result) && Array.isArray(result["contents"]) ? result["contents"] : [];
    const first: unknown = contents[0];
    if (!isRecord(first)) throw new Error("the host gave nothing");
    const meta = isRecord(first["_meta"]) ? first["_meta"] : {};
    const size = meta["resultant/size"];
    return {
      bytes: typeof first["text"] === "string" ? new TextEncoder().encode(first["text"]) : fromBase64(first["blob"]),
      mime: typeof first["mimeType"] === "string" ? first["mimeType"] : "",
      size: typeof size === "number" ? size : undefined,
    };
  }
}

class ToolSource implements Source {
  /** What the tool may be called: where it has the first name, the second is a tool of some server's. */
  private names = ["resultant_files_read", "files_read"];

  constructor(
    private readonly bridge: Bridge,
    private readonly file: ShownFile,
  ) {}

  async lines({ from, at }: Place, count: number): Promise<Lines> {
    // What is left of a long line is a page of its own.
    const page = await this.read(at > 0 ? { by: "lines", from, at, count: 1 } : { by: "lines", from, count });
    const text = typeof page["text"] === "string" ? page["text"] : "";
    const isNone = typeof page["to"] === "number" && page["to"] < from;
    const lines = isNone ? [] : text.split(/\r?\n/);
    const next = placeOf(page["next"], from + lines.length);
    if (at > 0 || (next !== undefined && next.at > 0)) return { lines: [], next, cut: text };
    return { lines, next, cut: undefined };
  }

  async rows({ from }: Place, count: number): Promise<Rows> {
    const page = await this.read({ by: "rows", from, count });
    const columns = Array.isArray(page["columns"]) ? page["columns"].map(String) : [];
    const rows = Array.isArray(page["rows"]) ? page["rows"] : [];
    const objects = rows.map((row: unknown) => {
      const cells: unknown[] = Array.isArray(row) ? row : [];
      return Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? null]));
    });
    const cut = isRecord(page["cut"]) ? String(page["cut"]["start"]) : undefined;
    return { rows: objects.map((row) => fromValue(row)), next: placeOf(page["next"], from + rows.length), cut };
  }

  whole(): Promise<Uint8Array> {
    return Promise.reject(new TooLarge("this host lets the canvas read text in pages only"));
  }

  head(): Promise<{ mime: string; size: number }> {
    return Promise.resolve({ mime: this.file.mime, size: this.file.size ?? 0 });
  }

  private async read(wanted: Record<string, unknown>): Promise<Record<string, unknown>> {
    for (const name of this.names) {
      const page = await this.call(name, wanted).catch(() => undefined);
      if (page === undefined) continue;
      this.names = [name];
      if (typeof page["error"] === "string") throw new Error(page["error"]);
      return page;
    }
    throw new Error("the host lets the canvas read nothing");
  }

  /** What the tool of this name answers; nothing where it is no tool of the gateway's. */
  private async call(name: string, wanted: Record<string, unknown>): Promise<Record<string, unknown> | undefined> {
    const result = await this.bridge.ask("tools/call", { name, arguments: { file: this.file.uri, ...wanted } });
    const content = isRecord(result) && Array.isArray(result["content"]) ? result["content"] : [];
    const first: unknown = content[0];
    if (!isRecord(first) || typeof first["text"] !== "string") return undefined;
    const page: unknown = JSON.parse(first["text"]);
    return isRecord(page) && ("by" in page || "error" in page) ? page : undefined;
  }
}

function nextOf(taken: Taken, from: number, length: number): Place | undefined {
  return taken.isMore || length > taken.count ? { from: from + taken.count, at: 0 } : undefined;
}

/** Where the tool says that it goes on. A page holds as much as a model is given at once, mostly less than asked for. */
function placeOf(next: unknown, otherwise: number): Place | undefined {
  if (!isRecord(next)) return undefined;
  const { from, at } = next;
  return { from: typeof from === "number" ? from : otherwise, at: typeof at === "number" ? at : 0 };
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export function fromBase64(data: unknown): Uint8Array {
  if (typeof data !== "string") throw new Error("the host gave no content");
  const binary = atob(data);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}
