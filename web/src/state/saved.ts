// Arguments that a person saved under a name, kept in this browser.

import { createStore } from "./store";

const KEY = "resultant.saved";
const SAVED_MAX = 200;

export interface Saved {
  id: string;
  server: string;
  tool: string;
  name: string;
  /** The arguments as JSON text. */
  args: string;
}

export function readSaved(text: string | null): Saved[] {
  try {
    const kept: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(kept) ? kept.filter(isSaved) : [];
  } catch {
    return [];
  }
}

function isSaved(value: unknown): value is Saved {
  if (typeof value !== "object" || value === null) return false;
  return ["id", "server", "tool", "name", "args"].every((name) => typeof Reflect.get(value, name) === "string");
}

const stored = (): string | null => (typeof localStorage === "undefined" ? null : localStorage.getItem(KEY));

export const saved = createStore<{ saved: Saved[] }>({ saved: readSaved(stored()) });

function put(list: Saved[]): void {
  saved.set({ saved: list });
  localStorage.setItem(KEY, JSON.stringify(list));
}

/** Saves arguments; those of the same name for the same tool are replaced. */
export function save(what: Omit<Saved, "id">): void {
  const rest = saved
    .get()
    .saved.filter((one) => !(one.server === what.server && one.tool === what.tool && one.name === what.name));
  put([{ ...what, id: crypto.randomUUID() }, ...rest].slice(0, SAVED_MAX));
}

export function forget(id: string): void {
  put(saved.get().saved.filter((one) => one.id !== id));
}

export function startSaved(): void {
  window.addEventListener("storage", (event) => {
    if (event.key === KEY) saved.set({ saved: readSaved(event.newValue) });
  });
}
