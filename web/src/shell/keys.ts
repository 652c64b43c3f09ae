// The shortcuts of the page. Single letters act only while nobody is typing.

import { layout } from "../state/layout";
import { createSignal } from "../state/signals";
import { openHelp, openPalette, overlay } from "./overlay";

/** Somebody wants to run what is on the screen. */
export const onRunKey = createSignal<null>({ keepsEarly: false });

export interface Shortcut {
  keys: string[];
  label: string;
}

export const SHORTCUTS: Shortcut[] = [
  { keys: ["Mod", "K"], label: "Search tools, files, sessions and actions" },
  { keys: ["Mod", "Enter"], label: "Run the tool" },
  { keys: ["/"], label: "Search tools" },
  { keys: ["["], label: "Show or hide the left column" },
  { keys: ["]"], label: "Show or hide the canvas" },
  { keys: ["?"], label: "This help" },
  { keys: ["↑", "↓"], label: "Move in a list" },
  { keys: ["Esc"], label: "Close what is open" },
];

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}

export function startKeys(): void {
  window.addEventListener("keydown", (event) => {
    const isCommand = event.ctrlKey || event.metaKey;
    if (isCommand && event.key.toLowerCase() === "k" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      openPalette();
      return;
    }
    if (overlay.get().open !== null || document.querySelector("dialog[open]")) return;
    if (isCommand && event.key === "Enter") {
      event.preventDefault();
      onRunKey.emit(null);
      return;
    }
    if (isCommand || event.altKey || isTyping(event.target) || event.defaultPrevented) return;
    const action = ACTIONS[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

const ACTIONS: Record<string, (() => void) | undefined> = {
  "?": openHelp,
  "/": () => {
    layout.set({ isLeftOpen: true, view: "left" });
    requestAnimationFrame(() => document.querySelector<HTMLElement>("[data-search-tools]")?.focus());
  },
  "[": () => layout.set((state) => ({ isLeftOpen: !state.isLeftOpen })),
  "]": () => layout.set((state) => ({ isCanvasOpen: !state.isCanvasOpen })),
};
