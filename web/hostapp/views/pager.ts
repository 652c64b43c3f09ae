// A window over something long: a page at a time, forward, back and to a number.
import { number } from "../../src/ui/format";
import { button, make, note, saying } from "../dom";

export interface Page {
  body: HTMLElement;
  /** How many there are on this page. */
  count: number;
  isLast: boolean;
}

/** Shows pages of `size` of what is called `many`; `read` makes the page from a number on, counted from 1. */
export function pager(many: string, size: number, read: (from: number) => Promise<Page>): HTMLElement {
  const place = make("div", { class: "host-page", tabindex: "0", role: "region", "aria-label": many });
  const said = make("span", { class: "host-range", role: "status" });
  const back = button("Previous", () => void go(from - size), { "aria-label": `Previous ${many.toLowerCase()}` });
  const next = button("Next", () => void go(from + size), { "aria-label": `Next ${many.toLowerCase()}` });
  const wanted = make("input", { class: "host-number", inputmode: "numeric", "aria-label": "Go to number", placeholder: "Go to…" });
  // Without a form around it: hosts forbid to send one.
  wanted.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    const asked = Number.parseInt(wanted.value.replaceAll(",", ""), 10);
    if (asked >= 1) void go(asked);
  });
  const bar = make("nav", { class: "host-pages", "aria-label": "Pages" }, back, next, said, wanted);
  let from = 1;
  let turn = 0;

  async function go(to: number): Promise<void> {
    turn += 1;
    const own = turn;
    const start = Math.max(1, to);
    place.setAttribute("aria-busy", "true");
    try {
      const page = await read(start);
      if (own !== turn) return;
      from = start;
      place.replaceChildren(page.body);
      place.scrollTop = 0;
      back.disabled = start === 1;
      next.disabled = page.isLast;
      const to = start + page.count - 1;
      said.textContent = page.count === 0 ? `No ${many.toLowerCase()} from ${number(start)} on` : `${many} ${number(start)} to ${number(to)}${page.isLast ? ", the last" : ""}`;
      bar.hidden = start === 1 && page.isLast;
    } catch (error) {
      if (own !== turn) return;
      place.replaceChildren(note(saying(error), "bad"));
      next.disabled = true;
    } finally {
      if (own === turn) place.removeAttribute("aria-busy");
    }
  }

  void go(1);
  return make("div", { class: "host-paged" }, place, bar);
}
