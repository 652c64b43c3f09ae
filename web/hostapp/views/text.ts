// Text, logs and code by lines with their numbers, and what there is of a line that is too long for that.
import { number } from "../../src/ui/format";
import { LINE_CHARS_SHOWN } from "../../src/viewers/limits";
import { make, note } from "../dom";
import type { Place, Source } from "../source";
import { nextIn, pager, type Page } from "./pager";

const LINES = 500;

export function linesView(source: Source): HTMLElement {
  return pager("Lines", LINES, async (place) => {
    const { lines, next, cut } = await source.lines(place, LINES);
    if (cut !== undefined) return partPage("Line", place, cut, next);
    return { body: numbered(lines, place.from), count: lines.length, next, isPart: false };
  });
}

export function textView(text: string): HTMLElement {
  const lines = text.split(/\r?\n/);
  return pager("Lines", LINES, ({ from }) => {
    const page = lines.slice(from - 1, from - 1 + LINES);
    return Promise.resolve({ body: numbered(page, from), count: page.length, next: nextIn(lines.length, from, LINES), isPart: false });
  });
}

/** A page with a part of what is too long to come whole. */
export function partPage(one: "Line" | "Row", { from, at }: Place, cut: string, next: Place | undefined): Page {
  const which = cut === "" ? "" : at > 0 ? " This is a further part of it." : " This is only the start.";
  const said = note(`${one} ${number(from)} is too long to be shown ${cut === "" ? "here" : "at once"}.${which}`);
  const body = make("div", { class: "host-part" }, said, make("div", { class: "host-part-text" }, cut));
  return { body, count: 1, next, isPart: true };
}

function numbered(lines: readonly string[], from: number): HTMLElement {
  const rows = lines.map((line, at) => {
    const isCut = line.length > LINE_CHARS_SHOWN;
    const shown = isCut ? `${line.slice(0, LINE_CHARS_SHOWN)}…` : line;
    return make("div", { class: "host-row" }, make("span", { class: "host-line", "aria-hidden": "true" }, String(from + at)), make("span", { class: "host-code" }, shown));
  });
  return make("div", { class: "host-text" }, ...rows);
}
