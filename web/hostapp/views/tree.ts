// JSON as a tree of disclosures: what is closed is not there yet, so a large value costs what is looked at.
import { print, type Node as Json } from "../../src/json/json";
import { counted } from "../../src/ui/format";
import { VALUE_CHARS_SHOWN } from "../../src/viewers/limits";
import { button, make, type Child } from "../dom";

const CHILDREN = 100;
const OPEN_CHILDREN_MAX = 50;

export function treeView(node: Json): HTMLElement {
  return make("div", { class: "host-tree", tabindex: "0", role: "region", "aria-label": "JSON" }, branch(undefined, node, 0));
}

function branch(name: string | undefined, node: Json, depth: number): HTMLElement {
  const label: Child[] = name === undefined ? [] : [make("span", { class: "host-key" }, name), ": "];
  if (node.kind !== "array" && node.kind !== "object") return make("div", { class: "host-leaf" }, ...label, leaf(node));
  const children: [string, Json][] = node.kind === "array" ? node.items.map((item, at) => [String(at), item]) : node.members;
  const size = node.kind === "array" ? counted(children.length, "item") : counted(children.length, "member");
  if (children.length === 0) return make("div", { class: "host-leaf" }, ...label, node.kind === "array" ? "[]" : "{}");
  const details = make("details", { class: "host-branch" }, make("summary", {}, ...label, make("span", { class: "host-size" }, size)));
  const fill = (): void => {
    if (details.childElementCount === 1) more(details, children, 0, depth + 1);
  };
  details.addEventListener("toggle", fill);
  if (depth < 2 && children.length <= OPEN_CHILDREN_MAX) {
    fill();
    details.open = true;
  }
  return details;
}

function more(parent: HTMLElement, children: [string, Json][], from: number, depth: number): void {
  for (const [name, child] of children.slice(from, from + CHILDREN)) parent.append(branch(name, child, depth));
  const left = children.length - from - CHILDREN;
  if (left <= 0) return;
  const rest = button(`Show ${counted(Math.min(left, CHILDREN), "more", "more")} of ${counted(left, "left", "left")}`, () => {
    rest.remove();
    more(parent, children, from + CHILDREN, depth);
  });
  parent.append(rest);
}

function leaf(node: Json): HTMLElement {
  const text = print(node);
  const shown = text.length > VALUE_CHARS_SHOWN ? `${text.slice(0, VALUE_CHARS_SHOWN)}…` : text;
  return make("span", { class: `host-${node.kind === "string" ? "string" : node.kind === "number" ? "amount-text" : "word"}` }, shown);
}
