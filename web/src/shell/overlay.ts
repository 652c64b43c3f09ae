// What lies over the page: the command palette, or the help on shortcuts.

import { createStore } from "../state/store";

export const overlay = createStore<{ open: "palette" | "help" | null }>({ open: null });

export const openPalette = (): void => overlay.set({ open: "palette" });
export const openHelp = (): void => overlay.set({ open: "help" });
export const closeOverlay = (): void => overlay.set({ open: null });
