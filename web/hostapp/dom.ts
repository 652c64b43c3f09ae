// Elements without markup: text stays text, and characters that act unseen are shown as what they are.
import { pieces } from "../src/viewers/escapes";

export type Child = Node | string | undefined;

interface Made {
  class?: string;
  [attribute: string]: string | undefined;
}

/** An element with attributes and children; a string is foreign text. */
export function make<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, attributes: Made, ...children: Child[]): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) element.setAttribute(name, value);
  put(element, children);
  return element;
}

export function put(parent: Node, children: readonly Child[]): void {
  for (const child of children) {
    if (typeof child === "string") for (const piece of textNodes(child)) parent.appendChild(piece);
    else if (child !== undefined) parent.appendChild(child);
  }
}

function textNodes(text: string): Node[] {
  return pieces(text).map((piece) => {
    if (!piece.isEscape) return document.createTextNode(piece.text);
    const mark = document.createElement("span");
    mark.className = "host-escape";
    mark.title = "a character that would not be seen";
    mark.textContent = piece.text;
    return mark;
  });
}

export function button(label: string, act: () => void, attributes: Made = {}): HTMLButtonElement {
  const made = make("button", { type: "button", class: "host-button", ...attributes }, label);
  made.addEventListener("click", act);
  return made;
}

export function note(text: string, kind: "quiet" | "bad" = "quiet"): HTMLElement {
  return make("p", { class: `host-note host-note-${kind}`, role: kind === "bad" ? "alert" : undefined }, text);
}

export function saying(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
