// Which viewer shows a file: by its media type, else by its extension, else by a hint.
//
// A hint never makes something more powerful of a file than its type says (text does not become HTML
// because a result asks for it), but it may ask for less: `code` shows the source of a page or a drawing.
// For Markdown, tables or JSON it changes nothing: it is the contract's only word for text, and tools write
// it beside all of them. What the gateway names as viewer counts as a hint only where it differs from what
// the gateway would have said by itself.

export type ViewerKind =
  | "image" | "svg" | "pdf" | "html" | "markdown" | "code" | "json" | "table" | "log" | "text"
  | "audio" | "video" | "diff" | "hex";

export interface ViewedFile {
  key: string;
  name: string;
  mime: string;
  size: number;
  sha256?: string;
  viewer?: string;
  description?: string;
}

/** The kinds whose bytes are text, so that their source can be read. */
const TEXTUAL: ReadonlySet<ViewerKind> = new Set<ViewerKind>([
  "svg", "html", "markdown", "code", "json", "table", "log", "text", "diff",
]);

/** The kinds that the sandbox shows. */
const STAGED: ReadonlySet<ViewerKind> = new Set<ViewerKind>(["image", "svg", "pdf", "html", "audio", "video"]);

const BY_TYPE: ReadonlyMap<string, ViewerKind> = new Map<string, ViewerKind>([
  ["application/pdf", "pdf"],
  ["application/x-pdf", "pdf"],
  ["text/html", "html"],
  ["application/xhtml+xml", "html"],
  ["image/svg+xml", "svg"],
  ["text/markdown", "markdown"],
  ["text/x-markdown", "markdown"],
  ["text/csv", "table"],
  ["text/tab-separated-values", "table"],
  ["application/x-ndjson", "table"],
  ["application/jsonl", "table"],
  ["application/x-jsonlines", "table"],
  ["application/json-lines", "table"],
  ["text/x-ndjson", "table"],
  ["text/x-diff", "diff"],
  ["text/x-patch", "diff"],
  ["text/x-log", "log"],
  ["application/json", "json"],
  ["text/json", "json"],
  ["application/javascript", "code"],
  ["application/ecmascript", "code"],
  ["application/typescript", "code"],
  ["application/sql", "code"],
  ["application/toml", "code"],
  ["application/x-sh", "code"],
  ["application/x-httpd-php", "code"],
  ["application/graphql", "code"],
  ["application/x-tex", "code"],
  ["application/rtf", "code"],
]);

const BY_EXTENSION: ReadonlyMap<string, ViewerKind> = new Map<string, ViewerKind>([
  ...kinds("image", "png jpg jpeg gif webp avif bmp ico"),
  ...kinds("svg", "svg"),
  ...kinds("pdf", "pdf"),
  ...kinds("html", "html htm xhtml"),
  ...kinds("markdown", "md markdown mdown"),
  ...kinds("json", "json geojson webmanifest ipynb har"),
  ...kinds("table", "csv tsv tab jsonl ndjson"),
  ...kinds("log", "log"),
  ...kinds("text", "txt text"),
  ...kinds("diff", "diff patch"),
  ...kinds("audio", "mp3 wav ogg oga opus flac m4a aac weba"),
  ...kinds("video", "mp4 m4v webm ogv mov"),
  ...kinds(
    "code",
    "js mjs cjs jsx ts mts cts tsx py pyi rs go java kt kts c h cc cpp cxx hpp hh cs rb php swift scala sh bash zsh fish ps1 " +
      "sql css scss sass less xml xsl xsd yaml yml toml ini cfg conf properties env lua r jl pl pm hs ml clj cljs ex exs erl dart " +
      "vue svelte graphql gql proto tf hcl cmake gradle groovy tex bib rst adoc vb pas asm wat json5 jsonc lock",
  ),
]);

/** Types that say nothing, so that the extension is asked. */
const VAGUE: ReadonlySet<string> = new Set(["", "application/octet-stream", "binary/octet-stream", "text/plain"]);

function kinds(kind: ViewerKind, extensions: string): [string, ViewerKind][] {
  return extensions.split(" ").map((extension) => [extension, kind]);
}

export function isTextual(kind: ViewerKind): boolean {
  return TEXTUAL.has(kind);
}

export function isStaged(kind: ViewerKind): boolean {
  return STAGED.has(kind);
}

/** The media type without its parameters, in lower case. */
export function essenceOf(mime: string): string {
  return (mime.split(";", 1)[0] ?? "").trim().toLowerCase();
}

/** The extension in lower case, without its dot; empty where there is none. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot + 1).toLowerCase();
}

/** What a file is by its own nature: media type, then extension. */
export function naturalKind(mime: string, name: string): ViewerKind | undefined {
  const essence = essenceOf(mime);
  const extension = extensionOf(name);
  if (VAGUE.has(essence)) {
    const byExtension = BY_EXTENSION.get(extension) ?? byWholeName(name);
    if (essence !== "text/plain") return byExtension;
    // Declared text stays text: an extension may colour it, and may not make a page or a picture of it.
    return byExtension && isTextual(byExtension) && !isStaged(byExtension) ? byExtension : "text";
  }
  return byType(essence) ?? BY_EXTENSION.get(extension);
}

function byType(essence: string): ViewerKind | undefined {
  const known = BY_TYPE.get(essence);
  if (known) return known;
  if (essence.endsWith("+json")) return "json";
  if (essence.startsWith("image/")) return isDrawable(essence) ? "image" : undefined;
  if (essence.startsWith("audio/")) return "audio";
  if (essence.startsWith("video/")) return "video";
  if (essence.startsWith("text/") || essence.endsWith("xml") || essence.endsWith("yaml")) return "code";
  return undefined;
}

/** Whether a browser draws this picture; TIFF, HEIC and the like are shown as bytes. */
function isDrawable(essence: string): boolean {
  return /^image\/(png|jpe?g|pjpeg|gif|webp|avif|bmp|x-ms-bmp|x-icon|vnd\.microsoft\.icon|apng|x-png)$/.test(essence);
}

function byWholeName(name: string): ViewerKind | undefined {
  return /^(dockerfile|makefile|justfile|gemfile|rakefile|\.gitignore|\.editorconfig)$/i.test(name) ? "code" : undefined;
}

/** The viewer that the gateway names by itself; a `viewer` that differs from it was asked for by a result. */
export function gatewayViewer(mime: string, name: string): string {
  const essence = essenceOf(mime);
  const dot = name.lastIndexOf(".");
  const extension = dot < 0 ? "" : name.slice(dot + 1);
  switch (essence) {
    case "application/pdf": return "pdf";
    case "text/html": return "html";
    case "text/markdown": return "markdown";
    case "text/csv": case "text/tab-separated-values": return "table";
    case "text/x-diff": return "diff";
    case "application/octet-stream":
      return extension === "md" ? "markdown" : extension === "txt" || extension === "log" ? "text" : "hex";
    case "text/plain": return extension === "log" ? "log" : "text";
  }
  if (essence === "application/json" || essence.endsWith("+json")) return "json";
  for (const family of ["image", "audio", "video"]) if (essence.startsWith(`${family}/`)) return family;
  return essence.startsWith("text/") || essence.endsWith("xml") || essence.endsWith("yaml") ? "code" : "hex";
}

/** The viewer of a file. `hint` is what the result wished for the file, if anything. */
export function chooseKind(file: Pick<ViewedFile, "mime" | "name" | "viewer">, hint?: string): ViewerKind {
  const natural = naturalKind(file.mime, file.name);
  const named = file.viewer && file.viewer !== gatewayViewer(file.mime, file.name) ? file.viewer : undefined;
  for (const wish of [hint, named]) {
    if (!wish || wish === "auto") continue;
    if (natural === undefined) {
      if (isKind(wish)) return wish;
    } else if (wish === "code" && (natural === "html" || natural === "svg")) {
      return "code";
    }
  }
  return natural ?? "hex";
}

const ALL: readonly ViewerKind[] = [
  "image", "svg", "pdf", "html", "markdown", "code", "json", "table", "log", "text", "audio", "video", "diff", "hex",
];

export function isKind(word: string): word is ViewerKind {
  return (ALL as readonly string[]).includes(word);
}

/** What the "view as" menu offers: the natural one first, then other ways to read the same bytes. */
export function offeredKinds(kind: ViewerKind, file: Pick<ViewedFile, "mime" | "name">): ViewerKind[] {
  const offered: ViewerKind[] = [kind];
  const natural = naturalKind(file.mime, file.name);
  if (natural) offered.push(natural);
  if (natural === "json") offered.push("table");
  if (natural === "table" && /json/.test(essenceOf(file.mime) + extensionOf(file.name))) offered.push("json");
  if (natural === "text" || natural === "log") offered.push("log");
  if (natural && isTextual(natural) && natural !== "text") offered.push("code");
  offered.push("text", "hex");
  return [...new Set(offered)];
}

export const KIND_LABELS: Readonly<Record<ViewerKind, string>> = {
  image: "Picture", svg: "Drawing", pdf: "PDF", html: "Page", markdown: "Markdown", code: "Code", json: "JSON tree",
  table: "Table", log: "Log", text: "Text", audio: "Sound", video: "Video", diff: "Changes", hex: "Bytes",
};
