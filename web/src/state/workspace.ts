// What there is: who is here, sessions, servers, tools, files, and the stream of events that keeps it true.
// Events change what is shown at once; lists are asked for again where an event says only that they changed.

import { allOf, api, part, Problem, token, whenSignedOut, type Schemas } from "../api/client";
import { listen, type StreamEvent, type StreamState } from "../api/events";
import { createSignal } from "./signals";
import { createStore } from "./store";
import { readTools, type Tool } from "./tool";

export type SessionInfo = Schemas["Session"];
export type ServerInfo = Schemas["Server"];
export type FileInfo = Schemas["File"];

export const FILES_MAX = 2000;
const SESSIONS_MAX = 500;
const POLL_MS = 3000;
const CLIENTS_AT_ONCE_MAX = 5;
const SESSION_KEY = "resultant.session";

export interface Me {
  user: string;
  email?: string | null;
  authenticated: boolean;
  mode: string;
  session: string;
}

export interface Settings {
  version?: string;
  sandbox_url: string | null;
  dashboards: { origins: string[] };
  clients: { name: string; title?: string; sees?: unknown; limits?: unknown }[];
  limits: { upload_bytes_max?: number };
  can_sign_out: boolean;
}

const NO_SETTINGS: Settings = {
  sandbox_url: null,
  dashboards: { origins: [] },
  clients: [],
  limits: {},
  can_sign_out: true,
};

export interface Workspace {
  phase: "starting" | "signed_out" | "ready";
  /** How a person signs in, while nobody is. */
  signIn: string;
  /** What to say above the sign-in. */
  said: string;
  me: Me | null;
  settings: Settings;
  session: string;
  sessions: SessionInfo[];
  /** What the MCP client of a session calls itself, as far as one has called something. */
  clients: Record<string, string>;
  servers: ServerInfo[];
  tools: Tool[];
  files: FileInfo[];
  /** What is known for the first time only after these are true. */
  hasTools: boolean;
  hasFiles: boolean;
  hasSessions: boolean;
  connection: StreamState;
}

const EMPTY: Workspace = {
  phase: "starting",
  signIn: "code",
  said: "",
  me: null,
  settings: NO_SETTINGS,
  session: "default",
  sessions: [],
  clients: {},
  servers: [],
  tools: [],
  files: [],
  hasTools: false,
  hasFiles: false,
  hasSessions: false,
  connection: "connecting",
};

export const workspace = createStore<Workspace>(EMPTY);

/** Every event of the session that is open, in order. `data` is JSON text. */
export const sessionEvents = createSignal<StreamEvent & { session: string }>();

/** The same for the canvas alone, whose code comes later: a signal waits for its first listener, not for its last. */
export const canvasEvents = createSignal<StreamEvent & { session: string }>();
/** A person asks for a file to be shown on the canvas. */
export const showFile = createSignal<FileInfo>();
/** A file was deleted here. */
export const fileDeleted = createSignal<string>();
/** The stream is open (again): what it cannot repeat is to be asked for. */
export const streamOpened = createSignal<string>();

/** An MCP client has opened a session. */
export const sessionAppeared = createSignal<string>({ keepsEarly: false });

let closeStream: () => void = () => undefined;
let poll: ReturnType<typeof setTimeout> | undefined;

/** Asks who is here, and shows the sign-in or starts. */
export async function begin(said = "", wanted?: string): Promise<void> {
  whenSignedOut((problem) =>
    leave(problem.signIn ?? "code", workspace.get().phase === "ready" ? "You are signed out." : said),
  );
  let me: Me;
  try {
    me = await api.get<Me>("/api/me");
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return leave(error.signIn ?? "code", said);
    workspace.set({ said: error instanceof Error ? error.message : String(error) });
    return;
  }
  const settings = await api.get<Partial<Settings>>("/api/settings").catch(() => ({}));
  const session = wanted ?? sessionStorage.getItem(SESSION_KEY) ?? me.session;
  workspace.set({ phase: "ready", said: "", me, settings: { ...NO_SETTINGS, ...settings }, session });
  enterSession(session);
  void keepUp();
}

function leave(signIn: string, said: string): void {
  token.clear();
  closeStream();
  clearTimeout(poll);
  workspace.set({ ...EMPTY, phase: "signed_out", signIn, said });
}

export async function signOut(): Promise<void> {
  await api.send("DELETE", "/api/page-session").catch(() => null);
  token.clear();
  closeStream();
  clearTimeout(poll);
  workspace.set({ ...EMPTY });
  await begin("You have signed out.");
}

/** Makes a session the one that is shown, and follows its events. */
export function enterSession(session: string): void {
  closeStream();
  sessionStorage.setItem(SESSION_KEY, session);
  const isSame = workspace.get().session === session;
  workspace.set({ session, connection: "connecting", ...(isSame ? {} : { files: [], hasFiles: false }) });
  closeStream = listen(`/api/sessions/${part(session)}/events`, {
    onEvent: (event) => {
      sessionEvents.emit({ ...event, session });
      canvasEvents.emit({ ...event, session });
      onEvent(event);
    },
    onState: (connection) => {
      workspace.set({ connection });
      if (connection !== "open") return;
      void refreshFiles();
      void refreshTools();
      streamOpened.emit(session);
    },
    onOver: (problem) => {
      const home = workspace.get().me?.session ?? "default";
      if (problem.status === 404 && session !== home) enterSession(home);
    },
  });
}

function onEvent(event: StreamEvent): void {
  if (event.type === "files_update") void refreshFiles();
  if (event.type === "tools_changed") void refreshTools();
}

/** Asks for the state of servers, and for sessions, while somebody is looking. */
async function keepUp(): Promise<void> {
  clearTimeout(poll);
  if (workspace.get().phase !== "ready") return;
  if (document.visibilityState === "visible") await Promise.all([refreshServers(), refreshSessions()]);
  if (workspace.get().phase === "ready") poll = setTimeout(() => void keepUp(), POLL_MS);
}

export function startPolling(): void {
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") void keepUp();
  });
}

export async function refreshServers(): Promise<void> {
  const list = await api.get<Schemas["ServerList"]>("/api/servers").catch(() => null);
  if (!list) return;
  const { servers } = workspace.get();
  if (JSON.stringify(servers) === JSON.stringify(list.items)) return;
  const isReady = (items: ServerInfo[]): string =>
    items
      .filter((one) => one.state === "ready")
      .map((one) => one.name)
      .join();
  const hasNewOnes = isReady(servers) !== isReady(list.items);
  workspace.set({ servers: list.items });
  if (hasNewOnes) await refreshTools();
}

export async function refreshSessions(): Promise<void> {
  const items = await allOf<SessionInfo>("/api/sessions", SESSIONS_MAX).catch(() => null);
  if (!items) return;
  const { sessions, hasSessions } = workspace.get();
  if (hasSessions) {
    const known = new Set(sessions.map((one) => one.id));
    for (const one of items) if (one.kind === "mcp" && !known.has(one.id)) sessionAppeared.emit(one.id);
  }
  if (JSON.stringify(items) !== JSON.stringify(sessions)) workspace.set({ sessions: items });
  workspace.set({ hasSessions: true });
  await nameClients(items);
}

/** Asks the calls of the newest sessions without a name who made them. */
async function nameClients(sessions: readonly SessionInfo[]): Promise<void> {
  const { clients } = workspace.get();
  const unnamed = sessions.filter((one) => one.kind === "mcp" && one.title === "" && clients[one.id] === undefined);
  const found = await Promise.all(
    unnamed.slice(0, CLIENTS_AT_ONCE_MAX).map(async ({ id }) => {
      const list = await api
        .get<Schemas["CallList"]>("/api/calls", { query: { session: id, count: 1 } })
        .catch(() => null);
      return [id, list?.items[0]?.client ?? ""] as const;
    }),
  );
  const named = found.filter(([, client]) => client !== "");
  if (named.length > 0) workspace.set((state) => ({ clients: { ...state.clients, ...Object.fromEntries(named) } }));
}

export async function refreshTools(): Promise<void> {
  const text = await api.text("/api/tools").catch(() => null);
  if (text !== null) workspace.set({ tools: readTools(text), hasTools: true });
}

export async function refreshFiles(): Promise<void> {
  const { session } = workspace.get();
  const items = await allOf<FileInfo>(`/api/sessions/${part(session)}/files`, FILES_MAX).catch(() => null);
  if (items && workspace.get().session === session) workspace.set({ files: items, hasFiles: true });
}

export async function createSession(title: string): Promise<void> {
  const made = await api.send<SessionInfo>("POST", "/api/sessions", { title });
  workspace.set(({ sessions }) => ({ sessions: [made, ...sessions] }));
  enterSession(made.id);
}

export async function deleteSession(id: string): Promise<void> {
  await api.send("DELETE", `/api/sessions/${part(id)}`);
  workspace.set(({ sessions }) => ({ sessions: sessions.filter((one) => one.id !== id) }));
  const { session, me } = workspace.get();
  if (session !== id) return;
  workspace.set({ files: [], hasFiles: false });
  enterSession(me?.session ?? "default");
}

export async function deleteFile(key: string): Promise<void> {
  await api.send("DELETE", `/api/files/${part(key)}`);
  workspace.set(({ files }) => ({ files: files.filter((one) => one.key !== key) }));
  fileDeleted.emit(key);
}
