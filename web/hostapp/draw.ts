// Which view shows an item. The kinds are those of the page; what this small app has no view for is a card.
import { parse } from "../src/json/json";
import { bytes as sizeOf } from "../src/ui/format";
import { decode } from "../src/viewers/decode";
import { chooseKind, essenceOf, type ViewerKind } from "../src/viewers/kind";
import { isTabular } from "../src/viewers/table/records";
import { make, note, saying } from "./dom";
import { fromBase64, MIB, TooLarge, type Source } from "./source";
import type { Item, ShownFile } from "./shown";
import { imageView } from "./views/image";
import { markdownView, type OpenLink } from "./views/markdown";
import { rowsView, tableView } from "./views/table";
import { linesView, textView } from "./views/text";
import { treeView } from "./views/tree";

const PICTURE_BYTES_MAX = 12 * MIB;
const PARSED_BYTES_MAX = MIB;

export interface Drawing {
  source(file: ShownFile): Source;
  open: OpenLink;
}

export async function draw(item: Item, drawing: Drawing): Promise<HTMLElement> {
  switch (item.kind) {
    case "file":
      return await drawFile(item.file, drawing);
    case "text":
      return textView(item.text);
    case "markdown":
      return markdownView(item.text, drawing.open);
    case "json":
      return isTabular(item.node) && item.node.kind === "array" ? rowsView(item.node.items) : treeView(item.node);
    case "image":
      return imageView(fromBase64(item.data), item.name, essenceOf(item.mime) === "image/svg+xml");
  }
}

async function drawFile(file: ShownFile, drawing: Drawing): Promise<HTMLElement> {
  const source = drawing.source(file);
  const { mime, size } = await source.head();
  const kind = chooseKind({ name: file.name, mime });
  try {
    return await drawKind(kind, { ...file, mime, size }, source, drawing);
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    return card(file, mime, size, `It is not shown here: ${saying(error)}.`);
  }
}

async function drawKind(kind: ViewerKind, file: ShownFile, source: Source, drawing: Drawing): Promise<HTMLElement> {
  const size = file.size ?? 0;
  switch (kind) {
    case "image":
    case "svg":
      return imageView(await source.whole(PICTURE_BYTES_MAX), file.name, kind === "svg");
    case "table":
      return tableView(source);
    case "markdown":
      if (size > PARSED_BYTES_MAX) return linesView(source);
      return markdownView(decode(await source.whole(PARSED_BYTES_MAX)).text, drawing.open);
    case "json":
      return size > PARSED_BYTES_MAX ? linesView(source) : await jsonView(source);
    case "html":
    case "code":
    case "log":
    case "text":
    case "diff":
      return linesView(source);
    default:
      return card(file, file.mime, size, "There is no view of this kind here.");
  }
}

async function jsonView(source: Source): Promise<HTMLElement> {
  const { text } = decode(await source.whole(PARSED_BYTES_MAX));
  try {
    const node = parse(text);
    return isTabular(node) && node.kind === "array" ? rowsView(node.items) : treeView(node);
  } catch (error) {
    return make("div", {}, note(`This is no JSON: ${saying(error)}.`), textView(text));
  }
}

function card(file: ShownFile, mime: string, size: number, said: string): HTMLElement {
  const facts = [["Type", mime || "not known"], ["Size", sizeOf(size)]] as const;
  const rows = facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]);
  return make("div", { class: "host-card" }, make("p", { class: "host-card-name" }, file.name), make("dl", {}, ...rows), note(said));
}
