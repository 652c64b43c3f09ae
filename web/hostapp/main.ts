// The canvas as an MCP App: waits for the result of the call that it was opened for, and shows what that names.
import "../src/ui/tokens.css";
import "./canvas.css";
import { bytes as sizeOf } from "../src/ui/format";
import { Bridge, isRecord, parentLine, type HostContext } from "./bridge";
import { button, make, note, saying } from "./dom";
import { draw } from "./draw";
import { shownOf, type Item, type Shown } from "./shown";
import { sourceOf } from "./source";

const NAMES_MAX = 12;
const root = document.getElementById("root");
if (root === null) throw new Error("the document has no root");

let capabilities: Record<string, unknown> = {};
let context: HostContext = {};
let isShown = false;

const bridge = new Bridge(parentLine(), (method, params) => {
  if (method === "ui/notifications/tool-result") show(params);
  if (method === "ui/notifications/tool-cancelled") root.replaceChildren(note("The call was cancelled."));
  if (method === "ui/notifications/host-context-changed") take(params);
});

root.replaceChildren(note("Waiting for the result…"));
watchSize(root);
void start();

async function start(): Promise<void> {
  try {
    const greeting = await bridge.greet();
    capabilities = greeting.capabilities;
    take(greeting.context);
  } catch (error) {
    root?.replaceChildren(note(`The host did not answer: ${saying(error)}`, "bad"));
  }
}

/** What the host says of itself: it may say less than before, and then the rest stays. */
function take(said: HostContext): void {
  context = { ...context, ...said };
  const { theme } = context;
  if (theme === "light" || theme === "dark") document.documentElement.dataset["theme"] = theme;
  document.documentElement.dataset["mode"] = context.displayMode === "fullscreen" ? "fullscreen" : "inline";
  const full = document.getElementById("full");
  if (full !== null) full.hidden = !offersFull();
}

function offersFull(): boolean {
  const modes = context.availableDisplayModes;
  return Array.isArray(modes) && modes.includes("fullscreen") && context.displayMode !== "fullscreen";
}

function show(result: unknown): void {
  if (root === null || isShown) return;
  isShown = true;
  root.replaceChildren(...frame(shownOf(result)));
}

function frame(shown: Shown): HTMLElement[] {
  const [first] = shown.items;
  if (first === undefined) return [note("The result has nothing to show.")];
  const place = make("section", { class: "host-place", "aria-label": "Content" });
  const head = make("header", { class: "host-head" });
  let turn = 0;
  const open = (item: Item): void => {
    turn += 1;
    const own = turn;
    head.replaceChildren(...heading(item, shown, open));
    place.replaceChildren(note("Reading…"));
    const drawing = { source: (file: Parameters<typeof sourceOf>[2]) => sourceOf(bridge, capabilities, file), open: openLink };
    draw(item, drawing).then(
      (view) => own === turn && place.replaceChildren(view),
      (error: unknown) => own === turn && place.replaceChildren(note(saying(error), "bad")),
    );
  };
  open(first);
  return [head, ...(shown.isError ? [note("The tool says that it failed.", "bad")] : []), place];
}

function heading(item: Item, shown: Shown, open: (item: Item) => void): HTMLElement[] {
  const size = item.kind === "file" && item.file.size !== undefined ? sizeOf(item.file.size) : "";
  const title = make("div", { class: "host-title" }, make("h1", {}, item.name), make("span", { class: "host-size" }, size));
  const tools = make("div", { class: "host-tools" });
  const page = item.kind === "file" ? item.file.page : undefined;
  if (page !== undefined && capabilities["openLinks"] !== undefined) tools.append(button("Open in the canvas", () => openLink(page)));
  const full = button("Full screen", () => void bridge.ask("ui/request-display-mode", { mode: "fullscreen" }).then(modeOf), { id: "full" });
  full.hidden = !offersFull();
  tools.append(full);
  const made: HTMLElement[] = [make("div", { class: "host-bar" }, title, tools)];
  if (shown.items.length > 1) {
    const others = shown.items.slice(0, NAMES_MAX).map((other) =>
      button(other.name, () => open(other), { class: "host-name", ...(other === item ? { "aria-current": "true" } : {}) }),
    );
    made.push(make("nav", { class: "host-names", "aria-label": "Files" }, ...others));
  }
  return made;
}

function modeOf(result: unknown): void {
  if (isRecord(result) && typeof result["mode"] === "string") take({ displayMode: result["mode"] });
}

function openLink(url: string): void {
  bridge.ask("ui/open-link", { url }).catch(() => undefined);
}

/** Tells the host how much room is wanted; the style sheet says how much there may be. */
function watchSize(element: HTMLElement): void {
  let told = -1;
  new ResizeObserver(() => {
    const height = Math.ceil(element.getBoundingClientRect().height);
    if (height === told) return;
    told = height;
    bridge.tell("ui/notifications/size-changed", { width: Math.ceil(element.getBoundingClientRect().width), height });
  }).observe(element);
}
