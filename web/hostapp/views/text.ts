// Text, logs and code by lines with their numbers.
import { LINE_CHARS_SHOWN } from "../../src/viewers/limits";
import { make } from "../dom";
import type { Source } from "../source";
import { pager } from "./pager";

const LINES = 500;

export function linesView(source: Source): HTMLElement {
  return pager("Lines", LINES, async (from) => {
    const { lines, isLast } = await source.lines(from, LINES);
    return { body: numbered(lines, from), count: lines.length, isLast };
  });
}

export function textView(text: string): HTMLElement {
  const lines = text.split(/\r?\n/);
  return pager("Lines", LINES, (from) => {
    const page = lines.slice(from - 1, from - 1 + LINES);
    return Promise.resolve({ body: numbered(page, from), count: page.length, isLast: from - 1 + LINES >= lines.length });
  });
}

function numbered(lines: readonly string[], from: number): HTMLElement {
  const rows = lines.map((line, at) => {
    const isCut = line.length > LINE_CHARS_SHOWN;
    const shown = isCut ? `${line.slice(0, LINE_CHARS_SHOWN)}…` : line;
    return make("div", { class: "host-row" }, make("span", { class: "host-line", "aria-hidden": "true" }, String(from + at)), make("span", { class: "host-code" }, shown));
  });
  return make("div", { class: "host-text" }, ...rows);
}
