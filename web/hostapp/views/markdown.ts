// Markdown as elements, from the tree that the parser of the page's viewer makes as well. Raw HTML stays text,
// pictures are named and not loaded, and a link is asked of the host, which asks the person.
import type { Nodes, Parents, Table } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { targetOf } from "../../src/viewers/markdown/links";
import { make, type Child } from "../dom";

export type OpenLink = (address: string) => void;

const DEPTH_MAX = 100;

export function markdownView(text: string, open: OpenLink): HTMLElement {
  const tree = fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const definitions = new Map<string, string>();
  for (const child of tree.children) if (child.type === "definition") definitions.set(child.identifier, child.url);
  return make("div", { class: "host-markdown", tabindex: "0", role: "document", "aria-label": "Markdown" }, ...new Writer(definitions, open).children(tree, 0));
}

class Writer {
  constructor(
    private readonly definitions: ReadonlyMap<string, string>,
    private readonly open: OpenLink,
  ) {}

  children(parent: Parents, depth: number): Child[] {
    if (depth > DEPTH_MAX) return ["…"];
    return parent.children.map((child) => this.write(child, depth + 1));
  }

  private write(node: Nodes, depth: number): Child {
    switch (node.type) {
      case "text":
        return node.value;
      case "paragraph":
        return make("p", {}, ...this.children(node, depth));
      case "heading":
        // The name of the file is the first heading.
        return make(HEADINGS[node.depth - 1] ?? "h6", {}, ...this.children(node, depth));
      case "emphasis":
        return make("em", {}, ...this.children(node, depth));
      case "strong":
        return make("strong", {}, ...this.children(node, depth));
      case "delete":
        return make("del", {}, ...this.children(node, depth));
      case "blockquote":
        return make("blockquote", {}, ...this.children(node, depth));
      case "list":
        return make(node.ordered ? "ol" : "ul", { start: node.ordered && node.start ? String(node.start) : undefined }, ...this.children(node, depth));
      case "listItem":
        return this.item(node.checked, this.children(node, depth));
      case "inlineCode":
        return make("code", {}, node.value);
      case "code":
        return make("pre", { tabindex: "0", "aria-label": node.lang ? `${node.lang} code` : "code" }, make("code", {}, node.value));
      case "thematicBreak":
        return make("hr", {});
      case "break":
        return make("br", {});
      case "link":
        return this.link(node.url, this.children(node, depth));
      case "linkReference":
        return this.link(this.definitions.get(node.identifier), this.children(node, depth));
      case "image":
        return this.picture(node.alt, node.url);
      case "imageReference":
        return this.picture(node.alt, this.definitions.get(node.identifier));
      case "table":
        return this.table(node, depth);
      case "html":
        return make("span", { class: "host-raw" }, node.value);
      case "footnoteReference":
        return make("sup", {}, node.label ?? node.identifier);
      case "footnoteDefinition":
        return make("div", { class: "host-footnote" }, make("sup", {}, node.label ?? node.identifier), ...this.children(node, depth));
      default:
        return undefined;
    }
  }

  private item(checked: boolean | null | undefined, children: Child[]): HTMLElement {
    if (typeof checked !== "boolean") return make("li", {}, ...children);
    const box = make("input", { type: "checkbox", disabled: "", "aria-label": checked ? "done" : "to do" });
    box.checked = checked;
    return make("li", { class: "host-task" }, box, ...children);
  }

  private link(address: string | undefined, children: Child[]): HTMLElement {
    const target = targetOf(address);
    if (target.kind !== "web") return make("span", { class: "host-no-link", title: address }, ...children);
    // No address to follow: nothing here may lead this frame away.
    const link = make("button", { type: "button", class: "host-link", title: target.href }, ...children);
    if (!(link.textContent ?? "").includes(target.host)) link.append(` (${target.host})`);
    link.addEventListener("click", () => this.open(target.href));
    return link;
  }

  private picture(alt: string | null | undefined, address: string | undefined): HTMLElement {
    const name = alt || "picture";
    const isInside = address === undefined || address.startsWith("data:");
    return make("span", { class: "host-picture-link" }, "▨ ", isInside ? name : this.link(address, [name]));
  }

  private table(table: Table, depth: number): HTMLElement {
    const rows = table.children.map((row, at) =>
      make("tr", {}, ...row.children.map((cell) => make(at === 0 ? "th" : "td", at === 0 ? { scope: "col" } : {}, ...this.children(cell, depth + 1)))),
    );
    const [head, ...body] = rows;
    const made = make("table", { class: "host-table" }, make("thead", {}, head), make("tbody", {}, ...body));
    return make("div", { class: "host-wide", tabindex: "0", role: "region", "aria-label": "Table" }, made);
  }
}

const HEADINGS = ["h2", "h3", "h4", "h5", "h6", "h6"] as const;
