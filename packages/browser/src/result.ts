// A handler's value as a tool result. `{content: […]}` goes as it is; bytes become files; a string is
// text as it stands (so that its digits stay, too); anything else is JSON text. What is structured
// about it, the gateway finds out by the tool's output schema: one place for every kind of server.
import type { JsonObject } from "./registry.js";

/** A result whose files are still bytes, to be written as base64 on the way out. */
export interface RoughResult extends JsonObject {
  readonly content: readonly unknown[];
}

/** Bytes in the place of a base64 string. */
export class Bytes {
  constructor(readonly source: Blob | Uint8Array) {}
}

type FileValue = Blob | ArrayBuffer | ArrayBufferView;

export function resultOf(
  value: unknown,
  tool: { readonly name: string; readonly outputSchema?: JsonObject },
): RoughResult {
  if (value === undefined) return { content: [] };
  if (isFile(value)) return { content: [fileBlock(value, tool.name, 1)] };
  if (isResult(value)) return { ...value, content: blocksOf(value.content, tool.name, (item) => item) };
  if (Array.isArray(value) && value.some(isFile)) return { content: blocksOf(value, tool.name, textBlock) };
  const result = { content: [textBlock(value)] };
  // Plain text that is to be a string by its schema is no JSON text: it says itself what it is.
  const isString = typeof value === "string" && tool.outputSchema?.["type"] === "string";
  return isString ? { ...result, structuredContent: value } : result;
}

export function errorResult(error: unknown): RoughResult {
  const message = error instanceof Error ? error.message || error.name : String(error);
  return { content: [{ type: "text", text: message || "the tool failed and did not say why" }], isError: true };
}

function isResult(value: unknown): value is RoughResult {
  return typeof value === "object" && value !== null && "content" in value && Array.isArray(value.content);
}

function isFile(value: unknown): value is FileValue {
  return value instanceof Blob || value instanceof ArrayBuffer || ArrayBuffer.isView(value);
}

function blocksOf(items: readonly unknown[], name: string, other: (item: unknown) => unknown): unknown[] {
  return items.map((item, at) => (isFile(item) ? fileBlock(item, name, at + 1) : other(item)));
}

function textBlock(value: unknown): JsonObject {
  return { type: "text", text: typeof value === "string" ? value : jsonText(value) };
}

/** JSON text; a bigint keeps its digits where the browser can write raw JSON. */
export function jsonText(value: unknown): string {
  const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown };
  const text: string | undefined = JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "bigint" && rawJSON ? rawJSON(String(inner)) : inner,
  );
  if (text === undefined) throw new TypeError(`a ${typeof value} cannot be a tool's result`);
  return text;
}

/** A picture or sound without a name is shown to the model; all else is a file with a name. */
function fileBlock(value: FileValue, tool: string, number: number): JsonObject {
  const mimeType = (value instanceof Blob && value.type.replace(/;.*/, "").trim()) || "application/octet-stream";
  const bytes = new Bytes(value instanceof Blob ? value : viewOf(value));
  const name = typeof File === "function" && value instanceof File ? value.name : "";
  const kind = /^(image|audio)\//.exec(mimeType)?.[1];
  if (kind && !name) return { type: kind, data: bytes, mimeType };
  const uri = `page:///${encodeURIComponent(name || `${tool}-${number}${extensionOf(mimeType)}`)}`;
  return { type: "resource", resource: { uri, mimeType, blob: bytes } };
}

function viewOf(value: ArrayBuffer | ArrayBufferView): Uint8Array {
  return value instanceof ArrayBuffer
    ? new Uint8Array(value)
    : new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}

function extensionOf(mimeType: string): string {
  const subtype = /\/(?:x-|vnd\.)?([a-z0-9]{2,5})$/.exec(mimeType)?.[1];
  if (subtype === "plain") return ".txt";
  return subtype ? `.${subtype}` : ".bin";
}
