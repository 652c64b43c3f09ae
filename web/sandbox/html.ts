// A page of a stranger, to be read: scripts, frames, forms' targets and addresses elsewhere are taken out, and
// what is left stands in a frame that may do nothing. The header of this shell forbids the network to both; the
// cleaning is there so that nothing even tries, and so that the page looks as whole as it can.

import DOMPurify from "dompurify";
import { type Line, type Show, element } from "./shell";

/** Attributes that make a browser ask for something. Values that stay in the document are let through. */
const ADDRESSES = new Set(["src", "href", "xlink:href", "poster", "background", "data", "cite", "longdesc"]);
const NEVER = ["ping", "srcset", "imagesrcset", "action", "formaction", "target", "manifest", "download", "http-equiv"];

export async function showHtml({ blob, name }: Show, line: Line): Promise<void> {
  const clean = sanitize(await blob.text());
  const frame = element("iframe", { class: "content", sandbox: "", title: name, referrerpolicy: "no-referrer" });
  frame.srcdoc = clean.html;
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  document.body.replaceChildren(frame);
  await loaded;
  line.send({ kind: "shown", facts: clean.removed ? { removed: clean.removed } : {} });
}

function sanitize(text: string): { html: string; removed: string | undefined } {
  const purify = DOMPurify(window);
  let links = 0;
  purify.addHook("uponSanitizeAttribute", (node, data) => {
    const name = data.attrName.toLowerCase();
    if (!ADDRESSES.has(name)) return;
    const value = data.attrValue.trim();
    const isImage = name !== "href" && name !== "xlink:href" && /^data:(image|audio|video|font)\//i.test(value);
    if (value.startsWith("#") || isImage) return;
    data.keepAttr = false;
    if (node.nodeName.toLowerCase() !== "a") return;
    // A link says where it would lead, and does not.
    links += 1;
    node.setAttribute("title", value.slice(0, 500));
  });
  const html = purify.sanitize(text, {
    WHOLE_DOCUMENT: true,
    FORBID_TAGS: ["link", "meta", "base", "form", "iframe", "frame", "frameset", "object", "embed", "portal", "dialog"],
    FORBID_ATTR: NEVER,
    ADD_TAGS: ["style"],
    ALLOW_UNKNOWN_PROTOCOLS: false,
  });
  return { html: `<!doctype html>${html}`, removed: removedOf(purify.removed, links) };
}

/** What was taken out, by kind: a person should know that there was more. */
function removedOf(removed: readonly unknown[], links: number): string | undefined {
  const count = (names: string[]): number =>
    removed.filter((entry) => names.includes(nameOf(entry))).length;
  const said = [
    plural(count(["script"]), "script"),
    plural(count(["iframe", "frame", "object", "embed"]), "frame"),
    plural(count(["form"]), "form"),
    plural(links, "link"),
  ].filter((part) => part !== undefined);
  return said.length > 0 ? said.join(", ") : undefined;
}

function nameOf(entry: unknown): string {
  const element = typeof entry === "object" && entry !== null && "element" in entry ? entry.element : undefined;
  return element instanceof Node ? element.nodeName.toLowerCase() : "";
}

function plural(count: number, word: string): string | undefined {
  return count === 0 ? undefined : `${count} ${word}${count === 1 ? "" : "s"}`;
}
