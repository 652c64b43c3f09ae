// Which files are open on the canvas, so that they are open again after the page was loaded anew. Only what is
// needed to ask for them is written down; what they are is the gateway's to say, and a file that is gone is left out.
// It is this tab's alone, like the session that is open. Dashboards come back by themselves, apps do not.

import { fileTabId, settle, type CanvasState, type FileTab, type FileVersion, type Pane } from "./canvas";

export const REMEMBERED_KEY = "resultant.canvas";
/** Further files are left out: one request is made for each. */
export const REMEMBERED_FILES_MAX = 40;

export interface RememberedFile {
  key: string;
  pane: Pane;
  isKept: boolean;
  openedBy: FileTab["openedBy"];
  hint?: string;
}

export interface Remembered {
  session: string;
  isOpen: boolean;
  files: RememberedFile[];
  active: CanvasState["active"];
}

export function remember(state: CanvasState): Remembered {
  const files = state.tabs.flatMap((tab): RememberedFile[] => {
    const key = tab.kind === "file" ? tab.versions[tab.shown]?.key : undefined;
    if (tab.kind !== "file" || key === undefined) return [];
    const { pane, isKept, openedBy, hint } = tab;
    return [{ key, pane, isKept, openedBy, ...(hint ? { hint } : {}) }];
  });
  return { session: state.session, isOpen: state.isOpen, files: files.slice(-REMEMBERED_FILES_MAX), active: state.active };
}

/** Takes what was written down, where it is what we write. */
export function readRemembered(text: string | null): Remembered | undefined {
  try {
    const kept: unknown = JSON.parse(text ?? "null");
    if (!isObject(kept) || typeof kept["session"] !== "string" || !Array.isArray(kept["files"])) return undefined;
    const active = isObject(kept["active"]) ? kept["active"] : {};
    return {
      session: kept["session"],
      isOpen: kept["isOpen"] === true,
      files: kept["files"].flatMap(readFile).slice(0, REMEMBERED_FILES_MAX),
      active: { ...word("main", active["main"]), ...word("side", active["side"]) },
    };
  } catch {
    return undefined;
  }
}

function readFile(value: unknown): RememberedFile[] {
  if (!isObject(value) || typeof value["key"] !== "string") return [];
  return [
    {
      key: value["key"],
      pane: value["pane"] === "side" ? "side" : "main",
      isKept: value["isKept"] === true,
      openedBy: value["openedBy"] === "person" ? "person" : "result",
      ...word("hint", value["hint"]),
    },
  ];
}

/** Opens the files that were found. What has been opened meanwhile stays, and stays shown. */
export function restore(state: CanvasState, remembered: Remembered, found: readonly FileVersion[]): CanvasState {
  const tabs = remembered.files.flatMap((file): FileTab[] => {
    const version = found.find((each) => each.key === file.key);
    if (!version || state.tabs.some((tab) => tab.id === fileTabId(version.name))) return [];
    const { pane, isKept, openedBy, hint } = file;
    const id = fileTabId(version.name);
    return [{ kind: "file", id, pane, title: version.name, isKept, versions: [version], shown: 0, openedBy, ...(hint ? { hint } : {}) }];
  });
  if (tabs.length === 0) return state;
  const hasNew = state.tabs.some((tab) => tab.kind !== "dashboard");
  const active = hasNew ? state.active : { ...state.active, ...remembered.active };
  const all = [...tabs, ...state.tabs];
  return settle({ ...state, tabs: all, active, isOpen: state.isOpen || remembered.isOpen });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function word<K extends string>(name: K, value: unknown): { [key in K]?: string } {
  return typeof value === "string" && value !== "" ? ({ [name]: value } as { [key in K]: string }) : {};
}
