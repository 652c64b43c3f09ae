// What a tool's result asks to be shown: files of the gateway, or what stands in the result itself. Pure, and
// everything in it was written by strangers.
import { fromValue, parse, type Node } from "../src/json/json";
import { isRecord } from "./bridge";

export interface ShownFile {
  uri: string;
  name: string;
  mime: string;
  size: number | undefined;
  /** Where the gateway's own page shows it. */
  page: string | undefined;
}

export type Item =
  | { kind: "file"; name: string; file: ShownFile }
  | { kind: "text"; name: string; text: string }
  | { kind: "markdown"; name: string; text: string }
  | { kind: "json"; name: string; node: Node }
  | { kind: "image"; name: string; mime: string; data: string };

export interface Shown {
  isError: boolean;
  items: Item[];
}

const FILES = "resultant://files/";
const ITEMS_MAX = 50;

/** What a result has to show. */
export function shownOf(result: unknown): Shown {
  const said = isRecord(result) ? result : {};
  const isError = said["isError"] === true;
  const files = filesOf(said);
  if (files.length > 0) {
    return { isError, items: files.slice(0, ITEMS_MAX).map((file) => ({ kind: "file", name: file.name, file })) };
  }
  const items = blocksOf(said);
  // The texts of a result mostly say its structured content once more.
  const isStructured = said["structuredContent"] !== undefined && said["structuredContent"] !== null;
  if (isStructured && items.every((item) => item.kind === "text" || item.kind === "json")) {
    return { isError, items: [{ kind: "json", name: "Result", node: fromValue(said["structuredContent"]) }] };
  }
  return { isError, items: items.slice(0, ITEMS_MAX) };
}

/** The files that the gateway named for this app, else those that the result links to. */
function filesOf(result: Record<string, unknown>): ShownFile[] {
  const meta = isRecord(result["_meta"]) ? result["_meta"]["resultant/files"] : undefined;
  const named = list(meta).map(namedOf).filter((file) => file !== undefined);
  if (named.length > 0) return named;
  const said = saidOf(result);
  if (said !== undefined) return [said];
  const links = list(result["content"]).filter((block) => isRecord(block) && block["type"] === "resource_link");
  return links.map(fileOf).filter((file) => file !== undefined);
}

/** What `files_show` says to the model, for hosts that keep `_meta` to themselves. */
function saidOf(result: Record<string, unknown>): ShownFile | undefined {
  const [first, ...others] = list(result["content"]);
  const body = isRecord(first) ? text(first["text"]) : undefined;
  if (others.length > 0 || body === undefined || !body.startsWith('{"shown":')) return undefined;
  try {
    const { shown, type, size, note } = JSON.parse(body) as Record<string, unknown>;
    if (typeof shown !== "string" || typeof note !== "string") return undefined;
    return fileOf({ uri: FILES + encodeURIComponent(shown), name: shown, mimeType: type, size });
  } catch {
    return undefined;
  }
}

/** A file in the gateway's own words. Nobody else may say where its page is: a button of ours leads there. */
function namedOf(value: unknown): ShownFile | undefined {
  const file = fileOf(value);
  const page = isRecord(value) ? text(value["page"]) : undefined;
  return file && { ...file, page: page !== undefined && /^https?:\/\//i.test(page) ? page : undefined };
}

function fileOf(value: unknown): ShownFile | undefined {
  if (!isRecord(value)) return undefined;
  const uri = text(value["uri"]);
  // Nothing else is read here: another resource may be anything, and its server has views of its own.
  if (uri === undefined || !uri.startsWith(FILES)) return undefined;
  const size = value["size"];
  return {
    uri,
    name: text(value["name"]) || nameOf(uri),
    mime: text(value["mimeType"]) ?? "",
    size: typeof size === "number" && size >= 0 ? size : undefined,
    page: undefined,
  };
}

function blocksOf(result: Record<string, unknown>): Item[] {
  const items: Item[] = [];
  for (const block of list(result["content"])) {
    if (!isRecord(block)) continue;
    const { type } = block;
    if (type === "text") items.push(itemOfText(text(block["text"]) ?? "", "Text"));
    if (type === "image") items.push(imageOf(block));
    if (type === "resource" && isRecord(block["resource"])) items.push(...itemOfResource(block["resource"]));
  }
  return items;
}

function imageOf(block: Record<string, unknown>): Item {
  return { kind: "image", name: "Picture", mime: text(block["mimeType"]) ?? "", data: text(block["data"]) ?? "" };
}

function itemOfResource(resource: Record<string, unknown>): Item[] {
  const name = nameOf(text(resource["uri"]) ?? "");
  const mime = text(resource["mimeType"]) ?? "";
  const blob = text(resource["blob"]);
  if (blob !== undefined && mime.startsWith("image/")) return [{ kind: "image", name, mime, data: blob }];
  const body = text(resource["text"]);
  if (body === undefined) return [];
  return [mime.startsWith("text/markdown") ? { kind: "markdown", name, text: body } : itemOfText(body, name)];
}

/** A text that is JSON is better read as a tree. */
function itemOfText(body: string, name: string): Item {
  if (/^\s*[[{]/.test(body)) {
    try {
      return { kind: "json", name, node: parse(body) };
    } catch {
      // It only began like JSON.
    }
  }
  return { kind: "text", name, text: body };
}

function nameOf(uri: string): string {
  const path = (uri.split("?", 1)[0] ?? "").split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(path) || "Result";
  } catch {
    return path;
  }
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
