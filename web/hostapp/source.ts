// Reads a file by parts, so that a large one never travels whole: as a resource where the host lets an app read
// resources, else by the tool that models read by, which gives smaller pages and text only.
import { isRecord, type Bridge } from "./bridge";
import type { ShownFile } from "./shown";

export const MIB = 1024 * 1024;
/** The gateway gives no more at once. */
const PART_BYTES = MIB;

export interface Rows {
  /** JSON: a list of objects, one for each row. */
  text: string;
  isLast: boolean;
}

export interface Lines {
  lines: string[];
  isLast: boolean;
}

export interface Source {
  /** `count` lines from this one, counted from 1. */
  lines(from: number, count: number): Promise<Lines>;
  rows(from: number, count: number): Promise<Rows>;
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

/** Lines of a text, one more than wanted where there is more. */
export function linesOf(text: string, count: number): Lines {
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  return { lines: lines.slice(0, count), isLast: lines.length <= count };
}

interface Content {
  bytes: Uint8Array;
  mime: string;
  size: number | undefined;
}

class ResourceSource implements Source {
  constructor(
    private readonly bridge: Bridge,
    private readonly file: ShownFile,
  ) {}

  async lines(from: number, count: number): Promise<Lines> {
    const { bytes } = await this.read(`lines=${from}-${from + count}`);
    return linesOf(new TextDecoder().decode(bytes), count);
  }

  async rows(from: number, count: number): Promise<Rows> {
    const { bytes } = await this.read(`rows=${from}-${from + count}`);
    return { text: new TextDecoder().decode(bytes), isLast: false };
  }

  async whole(bytesMax: number): Promise<Uint8Array> {
    const { size } = await this.head();
    if (size > bytesMax) throw new TooLarge(`more than ${bytesMax / MIB} MiB`);
    const all = new Uint8Array(size);
    for (let at = 0; at < size; at += PART_BYTES) {
      const { bytes } = await this.read(`offset=${at}&length=${Math.min(PART_BYTES, size - at)}`);
      if (bytes.length === 0 || at + bytes.length > size) throw new Error("the file changed while it was read");
      all.set(bytes, at);
    }
    return all;
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
  constructor(
    private readonly bridge: Bridge,
    private readonly file: ShownFile,
  ) {}

  async lines(from: number, count: number): Promise<Lines> {
    const page = await this.read({ by: "lines", from, count });
    const text = typeof page["text"] === "string" ? page["text"] : "";
    return { lines: linesOf(text, count).lines, isLast: page["next"] === undefined };
  }

  async rows(from: number, count: number): Promise<Rows> {
    const page = await this.read({ by: "rows", from, count });
    const columns = Array.isArray(page["columns"]) ? page["columns"].map(String) : [];
    const rows = Array.isArray(page["rows"]) ? page["rows"] : [];
    const objects = rows.map((row: unknown) => {
      const cells: unknown[] = Array.isArray(row) ? row : [];
      return Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? null]));
    });
    return { text: JSON.stringify(objects), isLast: page["next"] === undefined };
  }

  whole(): Promise<Uint8Array> {
    return Promise.reject(new TooLarge("this host lets the canvas read text in pages only"));
  }

  head(): Promise<{ mime: string; size: number }> {
    return Promise.resolve({ mime: this.file.mime, size: this.file.size ?? 0 });
  }

  private async read(wanted: Record<string, unknown>): Promise<Record<string, unknown>> {
    const file = this.file.uri;
    // It has the second name where a server has a tool of the first.
    for (const name of ["files_read", "resultant_files_read"]) {
      const result = await this.bridge.ask("tools/call", { name, arguments: { file, ...wanted } }).catch(() => undefined);
      const content = isRecord(result) && Array.isArray(result["content"]) ? result["content"] : [];
      const first: unknown = content[0];
      if (!isRecord(first) || typeof first["text"] !== "string") continue;
      const page: unknown = JSON.parse(first["text"]);
      if (!isRecord(page)) continue;
      if (typeof page["error"] === "string") throw new Error(page["error"]);
      return page;
    }
    throw new Error("the host lets the canvas read nothing");
  }
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
