// A window over something long: a page at a time, forward, back and to a number. How long a page is shows only when
// it is there, so each says where the next one starts, and the way back is remembered.
import { number } from "../../src/ui/format";
import { button, make, note, saying } from "../dom";
import type { Place } from "../source";

export interface Page {
  body: HTMLElement;
  /** How many there are on this page. */
  count: number;
  next: Place | undefined;
  /** Whether it is a part of a single one. */
  isPart: boolean;
}

/** A page's place, and those that were gone through before it. */
export interface Way {
  place: Place;
  before: readonly Place[];
}

export function wayTo(from: number): Way {
  return { place: { from: Math.max(1, from), at: 0 }, before: [] };
}

export function onward({ place, before }: Way, next: Place): Way {
  return { place: next, before: [...before, place] };
}

/** The page before: the one that led here, else as far back as a page may be long. */
export function backward({ place, before }: Way, size: number): Way {
  const last = before.at(-1);
  return last === undefined ? wayTo(place.from - size) : { place: last, before: before.slice(0, -1) };
}

export function isStart({ place }: Way): boolean {
  return place.from === 1 && place.at === 0;
}

/** Where the page after this one starts, in a list of this length. */
export function nextIn(length: number, from: number, size: number): Place | undefined {
  return from + size <= length ? { from: from + size, at: 0 } : undefined;
}

/** What is said of a page. */
export function saidOf(many: string, { from }: Place, page: Pick<Page, "count" | "next" | "isPart">): string {
  if (page.isPart) return `${many.slice(0, -1)} ${number(from)}, in part`;
  if (page.count === 0) return `No ${many.toLowerCase()} from ${number(from)} on`;
  return `${many} ${number(from)} to ${number(from + page.count - 1)}${page.next === undefined ? ", the last" : ""}`;
}

/** Shows pages of up to `size` of what is called `many`. */
export function pager(many: string, size: number, read: (place: Place) => Promise<Page>): HTMLElement {
  const place = make("div", { class: "host-page", tabindex: "0", role: "region", "aria-label": many });
  const said = make("span", { class: "host-range", role: "status" });
  const back = button("Previous", () => void go(backward(way, size)), { "aria-label": `Previous ${many.toLowerCase()}` });
  const forth = button("Next", () => next !== undefined && void go(onward(way, next)), { "aria-label": `Next ${many.toLowerCase()}` });
  const wanted = make("input", { class: "host-number", inputmode: "numeric", "aria-label": "Go to number", placeholder: "Go to…" });
  // Without a form around it: hosts forbid to send one.
  wanted.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    const asked = Number.parseInt(wanted.value.replaceAll(",", ""), 10);
    if (asked >= 1) void go(wayTo(asked));
  });
  const bar = make("nav", { class: "host-pages", "aria-label": "Pages" }, back, forth, said, wanted);
  let way = wayTo(1);
  let next: Place | undefined;
  let turn = 0;

  async function go(to: Way): Promise<void> {
    turn += 1;
    const own = turn;
    place.setAttribute("aria-busy", "true");
    try {
      const page = await read(to.place);
      if (own !== turn) return;
      place.replaceChildren(page.body);
      place.scrollTop = 0;
      next = page.next;
      said.textContent = saidOf(many, to.place, page);
      bar.hidden = isStart(to) && next === undefined && (page.count > 0 || page.isPart);
    } catch (error) {
      if (own !== turn) return;
      place.replaceChildren(note(saying(error), "bad"));
      next = undefined;
      said.textContent = "";
    }
    way = to;
    back.disabled = isStart(way);
    forth.disabled = next === undefined;
    place.removeAttribute("aria-busy");
  }

  void go(way);
  return make("div", { class: "host-paged" }, place, bar);
}
