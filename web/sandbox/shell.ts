// The shell's end of the line to the page: say that it is ready, take the first port that the parent sends,
// and never another. Who is framed inside has a window of its own and is not listened to.

import type { FromShell, Theme, ToShell } from "./protocol";

export type Show = Extract<ToShell, { kind: "show" }>;

export interface Line {
  send(message: FromShell): void;
}

/** Calls `onShow` for what the page wants shown. What it throws is told to the page in words. */
export function listen(onShow: (message: Show, line: Line) => Promise<void>): void {
  let port: MessagePort | undefined;
  addEventListener("message", (event) => {
    const [first] = event.ports;
    if (port || event.source !== parent || event.data?.type !== "resultant/show" || !first) return;
    port = first;
    const line: Line = { send: (message) => first.postMessage(message) };
    first.onmessage = ({ data }: MessageEvent<ToShell>) => {
      setTheme(data.theme);
      if (data.kind !== "show") return;
      onShow(data, line).catch((error: unknown) => line.send({ kind: "failed", message: messageOf(error) }));
    };
    forwardKeys(line);
  });
  if (parent !== window) parent.postMessage({ type: "resultant/ready" }, "*");
}

function setTheme(theme: Theme): void {
  document.documentElement.dataset["theme"] = theme;
}

/** The page's own shortcuts work while the focus is in here; what is typed stays here. */
function forwardKeys(line: Line): void {
  addEventListener("keydown", (event) => {
    const isPalette = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
    if (event.defaultPrevented || !(isPalette || event.key === "Escape")) return;
    event.preventDefault();
    const { key, ctrlKey, metaKey, shiftKey } = event;
    line.send({ kind: "key", key, ctrlKey, metaKey, shiftKey });
  });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A small element with its attributes and children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** A button with a sign that eyes read and a label that everybody gets. */
export function button(sign: string, label: string, onPress: () => void): HTMLButtonElement {
  const made = element("button", { type: "button", "aria-label": label, title: label }, sign);
  made.addEventListener("click", onPress);
  return made;
}
