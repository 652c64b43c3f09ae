// What is on the canvas: tabs in one or two panes. Every function here takes a state and gives the next one,
// so that what results may do to a person's screen can be read and tested without a screen. What they cause
// (requests, frames) is in canvas/.

import type { components } from "../api/schema";

type Schemas = components["schemas"];

/** Limits of what results can put on the canvas by themselves. */
export const TABS_OF_RESULT_MAX = 40;
export const APP_TABS_MAX = 6;
export const VERSIONS_MAX = 50;

export type Pane = "main" | "side";
export type Mode = "replace" | "append" | "split";
export type Persistence = Schemas["PersistenceWord"];

/** One file as the canvas shows it; several of one name are versions of each other. */
export interface FileVersion {
  key: string;
  name: string;
  mime: string;
  size: number;
  sha256?: string;
  viewer?: string;
  description?: string;
  call?: string;
  createdAt?: string;
}

interface TabBase {
  id: string;
  pane: Pane;
  title: string;
  /** The person wants it kept when results replace what results showed. */
  isKept: boolean;
}

export interface FileTab extends TabBase {
  kind: "file";
  /** The oldest first. */
  versions: FileVersion[];
  /** The place of the shown one in `versions`. */
  shown: number;
  /** The viewer that the result asked for. */
  hint?: string;
  openedBy: "result" | "person";
}

export interface DashboardTab extends TabBase {
  kind: "dashboard";
  session: string;
  dashboard: string;
  type: string;
  url?: string;
  persistence: Persistence;
  /** Grows when a result opens it again: the frame then gets a new token. */
  round: number;
  server?: string;
}

export interface AppTab extends TabBase {
  kind: "app";
  session: string;
  call: string;
  server: string;
  /** The tool's name on its server. */
  tool: string;
  resourceUri: string;
}

export type Tab = FileTab | DashboardTab | AppTab;

export interface CanvasState {
  isOpen: boolean;
  isFull: boolean;
  session: string;
  tabs: Tab[];
  active: { main?: string; side?: string };
  focused: Pane;
  /** Files of the last result that have no tab, because there were too many. */
  leftOut: number;
}

export function emptyCanvas(session: string): CanvasState {
  return { isOpen: false, isFull: false, session, tabs: [], active: {}, focused: "main", leftOut: 0 };
}

export function fileTabId(name: string): string {
  return `file:${name}`;
}

/** Ids of dashboards are their servers' own words, and two servers may have the same. */
export function dashboardTabId(session: string, server: string, dashboard: string): string {
  return `dashboard:${[session, server, dashboard].map(encodeURIComponent).join("/")}`;
}

// ---------------------------------------------------------------- what results do

/**
 * Files have come. `autoOpen` is the person's wish; without it, or where the result says no, they are only in
 * the list of files, except that a new version of a file with a tab joins that tab.
 */
export function applyFiles(state: CanvasState, update: Schemas["FilesUpdate"], autoOpen: boolean): CanvasState {
  const versions = update.files.map((file) => versionOfEvent(file, update.call ?? undefined));
  if (!autoOpen || !update.display.open_canvas || !update.files.some((file) => file.showable)) {
    return versions.reduce(joinTab, state);
  }
  // What cannot be shown comes last: it is reachable, and never what a person sees first.
  const showable = update.files.filter((file) => file.showable);
  const order = [...showable, ...update.files.filter((file) => !file.showable)];
  const primary =
    update.files.find((file) => file.name === update.display.primary_file) ?? showable[0] ?? update.files[0];
  if (!primary) return state;
  const names = [...new Set([primary.name, ...order.map((file) => file.name)])].slice(0, TABS_OF_RESULT_MAX);
  const mode = modeOf(update.display.mode);
  const cleared = mode === "replace" ? withoutResults(state, new Set(names.map(fileTabId))) : state;
  const pane = paneFor(cleared, mode, fileTabId(primary.name));
  const hint = update.display.viewer_hint ?? undefined;
  let next = cleared;
  for (const version of sortedByName(versions, order.map((file) => file.name))) {
    if (!names.includes(version.name)) continue;
    const isPrimary = version.name === primary.name;
    next = putFile(next, version, pane, "result", isPrimary && hint !== "auto" ? hint : undefined);
  }
  const distinct = new Set(update.files.map((file) => file.name)).size;
  return { ...show(next, fileTabId(primary.name)), isOpen: true, leftOut: distinct - names.length };
}

/** What is said of a dashboard by a result, or by the gateway when it was closed elsewhere; of old without a server. */
export type CanvasEvent = Pick<Schemas["CanvasOpen"], "canvas"> & { server?: string };

/** A dashboard opens, changes in place, or closes. */
export function applyDashboard(state: CanvasState, session: string, event: CanvasEvent): CanvasState {
  const canvas = event.canvas;
  const dashboard = word(canvas["id"]);
  if (!dashboard) return state;
  const server = word(event.server);
  const before = findDashboard(state, session, server, dashboard);
  if (canvas["open"] === false) return before ? close(state, before.id) : state;
  const id = before?.id ?? dashboardTabId(session, server ?? "", dashboard);
  const url = word(canvas["url"]) ?? before?.url;
  const mode = modeOf(word(canvas["mode"]) ?? "append");
  const cleared = before || mode !== "replace" ? state : withoutResults(state, new Set());
  const tab: DashboardTab = {
    kind: "dashboard",
    id,
    pane: before?.pane ?? paneFor(cleared, mode, id),
    title: word(canvas["title"]) ?? before?.title ?? dashboard,
    isKept: true,
    session,
    dashboard,
    type: word(canvas["type"]) ?? before?.type ?? "iframe",
    persistence: persistenceOf(canvas["persistence"]) ?? before?.persistence ?? "session",
    round: (before?.round ?? 0) + 1,
    ...(url === undefined ? {} : { url }),
    ...(server === undefined && before?.server === undefined ? {} : { server: server ?? before?.server }),
  };
  return { ...show(put(cleared, tab), id), isOpen: true };
}

/** A tool with an interface of its own has answered. */
export function applyApp(
  state: CanvasState,
  app: Pick<AppTab, "session" | "call" | "server" | "tool" | "resourceUri" | "title">,
): CanvasState {
  const id = `app:${app.call}`;
  const apps = state.tabs.filter((tab) => tab.kind === "app" && !tab.isKept && tab.id !== id);
  const surplus = apps.slice(0, Math.max(0, apps.length - APP_TABS_MAX + 1));
  const cleared = surplus.reduce((next, tab) => close(next, tab.id), state);
  const tab: AppTab = { kind: "app", id, pane: cleared.focused, isKept: false, ...app };
  return { ...show(put(cleared, tab), id), isOpen: true };
}

/**
 * The page was loaded, or the person went to another session. Pinned dashboards are there in every session;
 * those of a session in that one; ephemeral ones nowhere. Files and apps of the session before are left.
 */
export function enterSession(
  state: CanvasState,
  session: string,
  dashboards: readonly Schemas["Dashboard"][],
): CanvasState {
  const isSame = state.session === session;
  const stays = (tab: Tab): boolean =>
    isSame || (tab.kind === "dashboard" && tab.persistence === "pinned") || (tab.kind === "file" && tab.isKept);
  let next: CanvasState = settle({ ...state, session, leftOut: 0, tabs: state.tabs.filter(stays) });
  for (const entry of dashboards) {
    const isHere = entry.persistence === "pinned" || (entry.persistence === "session" && entry.session === session);
    if (!entry.is_open || !isHere || findDashboard(next, entry.session, entry.server, entry.id)) continue;
    const tab: DashboardTab = {
      kind: "dashboard",
      id: dashboardTabId(entry.session, entry.server, entry.id),
      pane: "main",
      title: entry.title ?? entry.id,
      isKept: true,
      session: entry.session,
      dashboard: entry.id,
      type: "iframe",
      persistence: entry.persistence,
      round: 1,
      server: entry.server,
      ...(entry.url ? { url: entry.url } : {}),
    };
    next = settle({ ...put(next, tab), isOpen: true });
  }
  return isSame || next.tabs.length > 0 ? next : { ...next, isOpen: false, isFull: false };
}

// ---------------------------------------------------------------- what the person does

/** Opens a file from a list, in the pane that has the focus. */
export function openFile(state: CanvasState, version: FileVersion): CanvasState {
  const put = putFile(state, version, state.focused, "person", undefined);
  const at = fileTab(put, version.name)?.versions.findIndex((each) => each.key === version.key) ?? -1;
  return { ...show(at < 0 ? put : showVersion(put, fileTabId(version.name), at), fileTabId(version.name)), isOpen: true };
}

/** Makes a tab the shown one of its pane. */
export function show(state: CanvasState, id: string): CanvasState {
  const tab = state.tabs.find((each) => each.id === id);
  if (!tab) return state;
  return { ...state, active: { ...state.active, [tab.pane]: id }, focused: tab.pane };
}

/** Closes a tab; its neighbour is shown, and an empty pane goes. */
export function close(state: CanvasState, id: string): CanvasState {
  const tab = state.tabs.find((each) => each.id === id);
  if (!tab) return state;
  const siblings = tabsOf(state, tab.pane);
  const at = siblings.findIndex((each) => each.id === id);
  const neighbour = siblings[at + 1] ?? siblings[at - 1];
  const wasActive = state.active[tab.pane] === id;
  const active = wasActive ? { ...state.active, [tab.pane]: neighbour?.id } : state.active;
  return settle({ ...state, active, tabs: state.tabs.filter((each) => each.id !== id) });
}

/** Goes to the next (1) or previous (-1) tab of the pane with the focus, around the end. */
export function step(state: CanvasState, by: 1 | -1): CanvasState {
  const siblings = tabsOf(state, state.focused);
  const at = siblings.findIndex((tab) => tab.id === state.active[state.focused]);
  const target = siblings[(at + by + siblings.length) % siblings.length];
  return target ? show(state, target.id) : state;
}

/** Moves a tab to the other pane. The last one of the main pane cannot leave it. */
export function moveToOther(state: CanvasState, id: string): CanvasState {
  const tab = state.tabs.find((each) => each.id === id);
  if (!tab || (tab.pane === "main" && tabsOf(state, "main").length < 2)) return state;
  const pane: Pane = tab.pane === "main" ? "side" : "main";
  const closed = close(state, id);
  return show(put({ ...closed, tabs: closed.tabs }, { ...tab, pane }), id);
}

export function showVersion(state: CanvasState, id: string, shown: number): CanvasState {
  return change(state, id, (tab) =>
    tab.kind === "file" && tab.versions[shown] ? { ...tab, shown } : tab,
  );
}

/** Versions that the session's list of files has and the tab has not seen; the oldest first. */
export function learnVersions(state: CanvasState, id: string, known: readonly FileVersion[]): CanvasState {
  return change(state, id, (tab) => {
    if (tab.kind !== "file") return tab;
    const missing = known.filter((each) => !tab.versions.some((version) => version.key === each.key));
    if (missing.length === 0) return tab;
    const place = new Map(known.map((each, at) => [each.key, at]));
    const all = [...tab.versions, ...missing];
    const versions = all.sort((a, b) => (place.get(a.key) ?? known.length) - (place.get(b.key) ?? known.length));
    const key = tab.versions[tab.shown]?.key;
    return { ...tab, versions, shown: versions.findIndex((each) => each.key === key) };
  });
}

export function keep(state: CanvasState, id: string, isKept: boolean): CanvasState {
  return change(state, id, (tab) => ({ ...tab, isKept }));
}

/** A file is gone: so is its version, and its tab with the last one. */
export function forgetFile(state: CanvasState, key: string): CanvasState {
  const tab = state.tabs.find((each) => each.kind === "file" && each.versions.some((file) => file.key === key));
  if (!tab || tab.kind !== "file") return state;
  const versions = tab.versions.filter((file) => file.key !== key);
  if (versions.length === 0) return close(state, tab.id);
  return change(state, tab.id, () => ({ ...tab, versions, shown: Math.min(tab.shown, versions.length - 1) }));
}

// ---------------------------------------------------------------- questions

export function tabsOf(state: CanvasState, pane: Pane): Tab[] {
  return state.tabs.filter((tab) => tab.pane === pane);
}

export function activeTab(state: CanvasState, pane: Pane): Tab | undefined {
  return state.tabs.find((tab) => tab.id === state.active[pane] && tab.pane === pane);
}

/**
 * The tab of a dashboard: that of the session, else a pinned one, which is the same in all of them. Where one side
 * does not say which server it is of, the other's word is taken.
 */
function findDashboard(state: CanvasState, session: string, server: string | undefined, dashboard: string): DashboardTab | undefined {
  const isIt = (tab: Tab): tab is DashboardTab =>
    tab.kind === "dashboard" && tab.dashboard === dashboard && (tab.session === session || tab.persistence === "pinned");
  const all = state.tabs.filter(isIt).sort((a, b) => Number(b.session === session) - Number(a.session === session));
  const isUnsaid = (tab: DashboardTab): boolean => server === undefined || tab.server === undefined;
  return all.find((tab) => tab.server === server) ?? all.find(isUnsaid);
}

export function hasSplit(state: CanvasState): boolean {
  return state.tabs.some((tab) => tab.pane === "side");
}

export function versionOfFile(file: Schemas["File"]): FileVersion {
  const call = file.origin.kind === "tool" ? file.origin.call : undefined;
  return {
    key: file.key,
    name: file.name,
    mime: file.mime,
    size: file.size,
    sha256: file.sha256,
    viewer: file.viewer,
    createdAt: file.created_at,
    ...(file.description ? { description: file.description } : {}),
    ...(call ? { call } : {}),
  };
}

// ---------------------------------------------------------------- parts

function versionOfEvent(file: Schemas["EventFile"], call: string | undefined): FileVersion {
  const { key, name, mime, size, sha256, viewer } = file;
  const version: FileVersion = { key, name, mime, size, sha256, viewer };
  if (file.description) version.description = file.description;
  if (call) version.call = call;
  return version;
}

function fileTab(state: CanvasState, name: string): FileTab | undefined {
  return state.tabs.find((tab): tab is FileTab => tab.id === fileTabId(name) && tab.kind === "file");
}

/** A new version joins the tab of its name, and is shown unless the person looks at an older one. */
function joinTab(state: CanvasState, version: FileVersion): CanvasState {
  const tab = fileTab(state, version.name);
  return tab ? change(state, tab.id, () => withVersion(tab, version)) : state;
}

function withVersion(tab: FileTab, version: FileVersion): FileTab {
  if (tab.versions.some((each) => each.key === version.key)) return tab;
  const sawNewest = tab.shown === tab.versions.length - 1;
  const versions = [...tab.versions, version].slice(-VERSIONS_MAX);
  const dropped = tab.versions.length + 1 - versions.length;
  return { ...tab, versions, shown: sawNewest ? versions.length - 1 : Math.max(0, tab.shown - dropped) };
}

function putFile(
  state: CanvasState,
  version: FileVersion,
  pane: Pane,
  openedBy: FileTab["openedBy"],
  hint: string | undefined,
): CanvasState {
  const before = fileTab(state, version.name);
  if (before) {
    const joined = withVersion(before, version);
    return change(state, before.id, () => ({ ...joined, ...(hint ? { hint } : {}) }));
  }
  return put(state, {
    kind: "file",
    id: fileTabId(version.name),
    pane,
    title: version.name,
    isKept: false,
    versions: [version],
    shown: 0,
    openedBy,
    ...(hint ? { hint } : {}),
  });
}

/** Adds a tab at the end of its pane, or replaces the one with its id. */
function put(state: CanvasState, tab: Tab): CanvasState {
  if (state.tabs.some((each) => each.id === tab.id)) return change(state, tab.id, () => tab);
  const next = { ...state, tabs: [...state.tabs, tab] };
  return next.active[tab.pane] ? next : { ...next, active: { ...next.active, [tab.pane]: tab.id } };
}

function change(state: CanvasState, id: string, how: (tab: Tab) => Tab): CanvasState {
  return { ...state, tabs: state.tabs.map((tab) => (tab.id === id ? how(tab) : tab)) };
}

/** What `replace` takes away: files that results opened and nobody kept. */
function withoutResults(state: CanvasState, stay: ReadonlySet<string>): CanvasState {
  const goes = (tab: Tab): boolean =>
    tab.kind === "file" && tab.openedBy === "result" && !tab.isKept && !stay.has(tab.id);
  return settle({ ...state, tabs: state.tabs.filter((tab) => !goes(tab)) });
}

function paneFor(state: CanvasState, mode: Mode, id: string): Pane {
  const shown = activeTab(state, "main");
  if (mode === "split" && shown && shown.id !== id) return "side";
  return mode === "append" ? state.focused : "main";
}

/** Keeps the invariants: what is active exists, and the side pane only stands beside a main one. */
export function settle(state: CanvasState): CanvasState {
  let { tabs, focused } = state;
  if (!tabs.some((tab) => tab.pane === "main")) tabs = tabs.map((tab) => ({ ...tab, pane: "main" as const }));
  if (!tabs.some((tab) => tab.pane === focused)) focused = "main";
  const activeOf = (pane: Pane): string | undefined => {
    const inPane = tabs.filter((tab) => tab.pane === pane);
    const wanted = [state.active[pane], state.active.main, state.active.side];
    return wanted.find((id) => inPane.some((tab) => tab.id === id)) ?? inPane[0]?.id;
  };
  const main = activeOf("main");
  const side = activeOf("side");
  const active = { ...(main ? { main } : {}), ...(side ? { side } : {}) };
  return { ...state, tabs, focused, active, isFull: state.isFull && tabs.length > 0 };
}

function sortedByName(versions: readonly FileVersion[], names: readonly string[]): FileVersion[] {
  return [...versions].sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
}

function modeOf(text: string): Mode {
  return text === "append" || text === "split" ? text : "replace";
}

function persistenceOf(value: unknown): Persistence | undefined {
  return value === "ephemeral" || value === "session" || value === "pinned" ? value : undefined;
}

function word(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
