// What a person likes, kept in this browser. Another tab's change arrives here too.

import { createStore, type Store } from "./store";

export type Theme = "system" | "light" | "dark";

export interface Preferences {
  theme: Theme;
  /** Whether the canvas opens by itself when a result has something to show. */
  canvasOpensItself: boolean;
  /** Sizes of the columns in percent, by the columns that are there. */
  columns: Record<string, number>;
  /** Which groups of the left column are folded. */
  folded: string[];
  /** Whether arguments are written as a form or as JSON. */
  argumentsAs: "form" | "json";
}

const KEY = "resultant.preferences";
const DEFAULTS: Preferences = {
  theme: "system",
  canvasOpensItself: true,
  columns: {},
  folded: [],
  argumentsAs: "form",
};

/** Takes what is usable of what was kept; anything else is as by default. */
export function readPreferences(text: string | null): Preferences {
  let kept: unknown;
  try {
    kept = JSON.parse(text ?? "{}");
  } catch {
    return DEFAULTS;
  }
  if (typeof kept !== "object" || kept === null) return DEFAULTS;
  const field = (name: keyof Preferences): unknown => Reflect.get(kept, name);
  const theme = field("theme");
  const columns = field("columns");
  const folded = field("folded");
  return {
    theme: theme === "light" || theme === "dark" ? theme : "system",
    canvasOpensItself: field("canvasOpensItself") !== false,
    columns: isSizes(columns) ? columns : {},
    folded: Array.isArray(folded) ? folded.filter((one) => typeof one === "string") : [],
    argumentsAs: field("argumentsAs") === "json" ? "json" : "form",
  };
}

function isSizes(value: unknown): value is Record<string, number> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((size) => typeof size === "number" && size >= 0 && size <= 100);
}

function stored(): string | null {
  return typeof localStorage === "undefined" ? null : localStorage.getItem(KEY);
}

export const preferences: Store<Preferences> = createStore(readPreferences(stored()));

/** Keeps changes, follows those of other tabs, and puts the theme on the page. */
export function startPreferences(): void {
  const apply = (): void => {
    const { theme } = preferences.get();
    if (theme === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
  };
  apply();
  preferences.subscribe(() => {
    apply();
    const text = JSON.stringify(preferences.get());
    if (text !== stored()) localStorage.setItem(KEY, text);
  });
  window.addEventListener("storage", (event) => {
    if (event.key === KEY) preferences.set(readPreferences(event.newValue));
  });
}
