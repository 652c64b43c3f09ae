// What makes the canvas move: events of the session, files that the person asks for, and sessions that are
// entered. What happens then is decided in state/canvas.ts; here it is only fed and its wishes carried out.

import { api, part, type Schemas } from "../api/client";
import {
  applyApp,
  applyDashboard,
  applyFiles,
  close,
  emptyCanvas,
  enterSession,
  forgetFile,
  openFile,
  versionOfFile,
  type CanvasState,
} from "../state/canvas";
import { layout } from "../state/layout";
import { preferences } from "../state/preferences";
import { readRemembered, remember, REMEMBERED_KEY, restore, type Remembered } from "../state/remembered";
import { createStore } from "../state/store";
import { toolId } from "../state/tool";
import { canvasEvents, fileDeleted, showFile, streamOpened, workspace } from "../state/workspace";
import { announce } from "../ui/ui";

export const canvas = createStore<CanvasState>(emptyCanvas(workspace.get().session));

/** Calls that apps made, the last ones: their results are the app's, and open nothing. */
const callsOfApps = new Set<string>();
const CALLS_OF_APPS_MAX = 1000;

export function noteCallOfApp(call: string): void {
  callsOfApps.add(call);
  const [oldest] = callsOfApps;
  if (callsOfApps.size > CALLS_OF_APPS_MAX && oldest !== undefined) callsOfApps.delete(oldest);
}

/** Changes the canvas; where it then wants to be seen, the shell makes room for it. */
export function change(how: (state: CanvasState) => CanvasState): void {
  const { isCanvasOpen, isCanvasFull } = layout.get();
  const before: CanvasState = { ...canvas.get(), isOpen: isCanvasOpen, isFull: isCanvasFull };
  const after = how(before);
  canvas.set(after);
  if (after.isOpen !== isCanvasOpen || after.isFull !== isCanvasFull) {
    layout.set({ isCanvasOpen: after.isOpen, isCanvasFull: after.isFull });
  }
}

/** What a tab does before it goes; it may take a moment for it. */
const lastWords = new Map<string, () => Promise<void>>();

export function beforeClose(id: string, say: () => Promise<void>): () => void {
  lastWords.set(id, say);
  return () => lastWords.delete(id);
}

/** Closes a tab for the person; a dashboard stays closed after a reload too. */
export function closeTab(id: string): void {
  const tab = canvas.get().tabs.find((each) => each.id === id);
  const say = lastWords.get(id);
  lastWords.delete(id);
  if (say) void say().finally(() => change((state) => close(state, id)));
  else change((state) => close(state, id));
  if (tab?.kind !== "dashboard") return;
  // In the session that is looked at: a pinned one may be of another, and both are told.
  const path = `/api/sessions/${part(canvas.get().session)}/dashboards/${part(tab.dashboard)}`;
  api.send("DELETE", path, undefined, { query: { server: tab.server } }).catch(() => undefined);
}

export function startCanvas(): () => void {
  const stops = [
    canvasEvents.listen(onEvent),
    showFile.listen((file) => change((state) => openFile(state, versionOfFile(file)))),
    fileDeleted.listen((key) => change((state) => forgetFile(state, key))),
    streamOpened.listen((session) => void enter(session)),
  ];
  const { session, connection } = workspace.get();
  if (connection === "open") void enter(session);
  stops.push(startRemembering());
  return () => stops.forEach((stop) => stop());
}

async function enter(session: string): Promise<void> {
  const list = await api
    .get<Schemas["DashboardList"]>("/api/dashboards", { query: { session } })
    .catch(() => ({ items: [] }));
  if (workspace.get().session !== session) return;
  change((state) => enterSession(state, session, list.items));
  await bringBack(session);
}

/** What was open before the page was loaded; until it is open again, nothing is written over it. */
let before: Remembered | undefined = readRemembered(sessionStorage.getItem(REMEMBERED_KEY));

function startRemembering(): () => void {
  let written = "";
  const write = (): void => {
    const text = JSON.stringify(remember({ ...canvas.get(), isOpen: layout.get().isCanvasOpen }));
    if (before !== undefined || text === written) return;
    written = text;
    sessionStorage.setItem(REMEMBERED_KEY, text);
  };
  const stops = [canvas.subscribe(write), layout.subscribe(write)];
  return () => stops.forEach((stop) => stop());
}

/** Opens the files again that were open when the page was left, as far as they are still there. */
async function bringBack(session: string): Promise<void> {
  const wanted = before;
  if (wanted?.session !== session) before = undefined;
  if (!wanted || !before) return;
  const here = await filesOf(session);
  // What the person kept may be of another session; nothing else is.
  const elsewhere = wanted.files.filter(({ key, isKept }) => isKept && !here.some((file) => file.key === key));
  const ask = ({ key }: { key: string }): Promise<Schemas["File"][]> =>
    api.get<Schemas["File"]>(`/api/files/${part(key)}/info`).then((file) => [file], () => []);
  const found = [...here, ...(await Promise.all(elsewhere.map(ask))).flat()];
  // A stream that opened again meanwhile has brought them back.
  if (before !== wanted) return;
  before = undefined;
  if (canvas.get().session === session) change((state) => restore(state, wanted, found.map(versionOfFile)));
}

/** The files of a session, when they are known; none where the person has left it. */
function filesOf(session: string): Promise<Schemas["File"][]> {
  return new Promise((resolve) => {
    const look = (): void => {
      const { session: now, files, hasFiles } = workspace.get();
      if (now === session && !hasFiles) return;
      stop();
      resolve(now === session ? files : []);
    };
    const stop = workspace.subscribe(look);
    look();
  });
}

function onEvent(event: { type: string; data: string; session: string }): void {
  if (event.session !== canvas.get().session) {
    change((state) => enterSession(state, event.session, []));
  }
  if (event.type === "files_update") {
    const update = JSON.parse(event.data) as Schemas["FilesUpdate"];
    if (update.call && callsOfApps.has(update.call)) return;
    change((state) => applyFiles(state, update, preferences.get().canvasOpensItself));
    if (update.display.open_canvas && update.call) announce(`On the canvas: ${update.display.primary_file ?? "files"}`);
  } else if (event.type === "canvas_open") {
    const opened = JSON.parse(event.data) as Schemas["CanvasOpen"];
    // One that tells of a closing is of no call.
    if (opened.call && callsOfApps.has(opened.call)) return;
    change((state) => applyDashboard(state, event.session, opened));
  } else if (event.type === "tool_complete") {
    onComplete(event.session, JSON.parse(event.data) as Schemas["ToolComplete"]);
  }
}

/** A tool that brings its own interface opens it when its result is there. */
function onComplete(session: string, done: Schemas["ToolComplete"]): void {
  if (callsOfApps.has(done.call) || done.ending !== "ok") return;
  const tool = workspace.get().tools.find((each) => each.id === toolId(done.server, done.tool));
  if (!tool?.app || tool.isForAppOnly) return;
  const { call, server, tool: name } = done;
  const app = { session, call, server, tool: name, resourceUri: tool.app, title: tool.title };
  change((state) => applyApp(state, app));
}
