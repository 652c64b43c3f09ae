// Text that is more than it seems: remote pictures in Markdown, keys that reach for prototypes,
// escapes of terminals, characters that are not seen.
import type { Hostile } from "./html";

export function hostileMarkdown(canary: string): Hostile {
  const url = (path: string) => `${canary}/markdown-${path}`;
  const content = [
    "# Notes of a stranger",
    `![a picture](${url("image")}) ![another][ref]`,
    `[ref]: ${url("reference")}`,
    `<img src="${url("html")}" onerror="fetch('${url("onerror")}')"><script>fetch("${url("script")}")</script>`,
    `<iframe src="${url("frame")}"></iframe><style>body{background:url(${url("style")})}</style>`,
    `[press me](javascript:fetch('${url("javascript")}')) [and me](data:text/html,<script>fetch('${url("data")}')</script>)`,
    `<${url("auto")}>`,
    "The end of the notes.",
  ].join("\n\n");
  return { name: "notes.md", content };
}

/** Keys that would change every object of a page that copies them carelessly. */
export const prototypeJson: Hostile = {
  name: "proto.json",
  content: `{"__proto__": {"polluted": "yes"}, "constructor": {"prototype": {"polluted": "yes"}}, "a": [1, {"__proto__": {"polluted": "yes"}}], "long": 12345678901234567890, "last": "the last value"}`,
};

/** Escapes of terminals, a link of a terminal, tag characters, text that runs backwards. */
export const unseenText: Hostile = {
  name: "unseen.log",
  content: "plain \u001b[31mred\u001b[0m \u001b]8;;https://example.com\u001b\\link\u001b]8;;\u001b\\ \u{e0041}\u{e0042} \u202edesrever\u202c end\n",
};
