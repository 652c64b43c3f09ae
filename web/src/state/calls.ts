// Calls as they happen: made here as a stream, or by any other client of the session and heard of by events.

import { allOf, api, part, Problem, problemFrom, type Schemas } from "../api/client";
import { readEvents, type StreamEvent } from "../api/events";
import { member, parse, print, type Node } from "../json/json";
import {
  answered,
  asked,
  completed,
  learn,
  logged,
  progressed,
  recorded,
  started,
  type Call,
  type Calls,
} from "./call";
import { createStore, useStore } from "./store";
import { sessionEvents, streamOpened, workspace } from "./workspace";

export type { Call } from "./call";

const LISTED_MAX = 200;
const RECORDS_AFTER_MS = 400;
const LOOK_BACK_MS_MAX = 5000;

export const calls = createStore<{ calls: Calls }>({ calls: new Map() });

const change = (how: (calls: Calls, now: number) => Calls): void =>
  calls.set((state) => ({ calls: how(state.calls, Date.now()) }));

/** What is known of a call; absent where nothing is. */
export function useCall(id: string | undefined): Call | undefined {
  return useStore(calls, (state) => (id === undefined ? undefined : state.calls.get(id)));
}

/** Follows the session's events. */
export function startCalls(): void {
  sessionEvents.listen(onSessionEvent);
  streamOpened.listen((session) => void refreshCalls(session));
}

function onSessionEvent(event: StreamEvent & { session: string }): void {
  if (event.type === "tool_start") {
    const data = parse(event.data);
    change((all, now) =>
      started(all, event.session, JSON.parse(event.data) as Schemas["ToolStart"], member(data, "arguments"), now),
    );
  } else if (event.type === "tool_progress") {
    const data = JSON.parse(event.data) as Schemas["ToolProgress"];
    change((all, now) => progressed(all, event.session, data, now));
    if (calls.get().calls.get(data.call)?.tool === "") void learnStart(event.session, data.call);
  } else if (event.type === "tool_complete") {
    change((all, now) => completed(all, event.session, JSON.parse(event.data) as Schemas["ToolComplete"], now));
    refreshSoon(event.session);
  } else if (event.type === "files_update") {
    const { call, files } = JSON.parse(event.data) as Schemas["FilesUpdate"];
    if (call && calls.get().calls.has(call))
      change((all, now) => learn(all, { id: call, filesCount: files.length }, now));
  }
}

const looked = new Set<string>();

/** A call that began before this page came: the session's older events say what it is. */
async function learnStart(session: string, id: string): Promise<void> {
  if (looked.has(id)) return;
  looked.add(id);
  const stop = AbortSignal.timeout(LOOK_BACK_MS_MAX);
  const found = new AbortController();
  try {
    const signal = AbortSignal.any([stop, found.signal]);
    const answer = await api.raw(`/api/sessions/${part(session)}/events`, {
      query: { after: 0 },
      headers: { Accept: "text/event-stream" },
      signal,
    });
    await readEvents(answer, (event) => {
      if (event.type !== "tool_start" || (JSON.parse(event.data) as Schemas["ToolStart"]).call !== id) return;
      onSessionEvent({ ...event, session });
      found.abort();
    });
  } catch {
    // It stays a call without a name until it is over.
  }
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** Events do not say who called; the records do, which are there a moment later. */
function refreshSoon(session: string): void {
  clearTimeout(timer);
  timer = setTimeout(() => void refreshCalls(session), RECORDS_AFTER_MS);
}

export async function refreshCalls(session: string): Promise<void> {
  const records = await allOf<Schemas["Call"]>("/api/calls", LISTED_MAX, { query: { session } }).catch(() => []);
  change((all, now) => recorded(all, records, now));
}

/** Asks for one call's record, with its arguments to the digit. */
export async function loadCall(id: string): Promise<Call> {
  const text = await api.text(`/api/calls/${part(id)}`);
  const args = member(parse(text), "arguments");
  change((all, now) =>
    learn(
      recorded(all, [JSON.parse(text) as Schemas["Call"]], now),
      { id, args: args?.kind === "null" ? undefined : args },
      now,
    ),
  );
  const call = calls.get().calls.get(id);
  if (!call) throw new Error("this call is not known");
  return call;
}

export interface Run {
  server: string;
  tool: string;
  args: Node;
}

/** How long a call waits for the stream of its session. */
const STREAM_MS_MAX = 3000;

/** What a result leaves is told by the session's stream, which begins with what happens next: a call that is made
 * before it is open would leave the canvas empty. */
function streamIsOpen(): Promise<void> {
  const isOpen = (): boolean => workspace.get().connection === "open";
  if (isOpen()) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      stop();
      resolve();
    };
    const timer = setTimeout(end, STREAM_MS_MAX);
    const stop = workspace.subscribe(() => isOpen() && end());
  });
}

/** Makes a call; `onId` is told its id, and the promise is over when the call is. Throws where there is none. */
export async function run(what: Run, onId: (id: string) => void, signal?: AbortSignal): Promise<void> {
  const { session } = workspace.get();
  await streamIsOpen();
  const named = `"server":${JSON.stringify(what.server)},"tool":${JSON.stringify(what.tool)}`;
  const answer = await api.raw(`/api/sessions/${part(session)}/calls`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
    body: `{${named},"arguments":${print(what.args)},"stream":true}`,
    signal,
  });
  let id: string | undefined;
  let problem: Problem | undefined;
  try {
    await readEvents(answer, (event) => {
      if (event.type === "call") {
        id = (JSON.parse(event.data) as { id: string }).id;
        const news = { id, session, server: what.server, tool: what.tool, args: what.args, isOwn: true };
        change((all, now) => learn(all, news, now));
        onId(id);
      } else if (event.type === "problem") {
        problem = problemFrom(JSON.parse(event.data));
      } else if (id !== undefined) {
        onCallEvent(id, session, event);
      }
    });
  } finally {
    if (id !== undefined) await settle(id, problem);
  }
  if (id === undefined && problem) throw problem;
}

function onCallEvent(id: string, session: string, event: StreamEvent): void {
  if (event.type === "progress") {
    const data = JSON.parse(event.data) as Omit<Schemas["ToolProgress"], "call">;
    change((all, now) => progressed(all, session, { ...data, call: id }, now));
  } else if (event.type === "question") {
    const node = parse(event.data);
    const { question } = JSON.parse(event.data) as { question: number };
    change((all, now) => asked(all, id, { question, params: member(node, "params") ?? { kind: "null" } }, now));
  } else if (event.type === "log") {
    const node = parse(event.data);
    const { level } = JSON.parse(event.data) as { level: string };
    const said = member(node, "data");
    const text = said?.kind === "string" ? said.value : print(said ?? { kind: "null" });
    change((all, now) => logged(all, id, { level, text }, now));
  } else if (event.type === "result") {
    const { is_error: isError } = JSON.parse(event.data) as { is_error: boolean };
    change((all, now) => learn(all, { id, state: "over", ending: isError ? "tool_error" : "ok" }, now));
  }
}

/** The stream has ended: the record says how, as far as the events have not. */
async function settle(id: string, problem: Problem | undefined): Promise<void> {
  const call = calls.get().calls.get(id);
  if (call?.state === "over" && call.durationMs !== undefined) return;
  const isThere = await loadCall(id).catch(() => null);
  if (isThere?.state === "over" || calls.get().calls.get(id)?.state === "over") return;
  const message = problem?.message ?? "The connection to the gateway broke.";
  change((all, now) => learn(all, { id, state: "over", ending: "failed", message }, now));
}

export async function cancel(call: Call): Promise<void> {
  change((all, now) => learn(all, { id: call.id, isCancelling: true }, now));
  try {
    await api.send("DELETE", `/api/sessions/${part(call.session)}/calls/${part(call.id)}`);
  } catch (error) {
    change((all, now) => learn(all, { id: call.id, isCancelling: false }, now));
    throw error;
  }
}

export async function answer(
  call: Call,
  question: number,
  action: Schemas["ActionWord"],
  content?: Node,
): Promise<void> {
  const said = content ? `,"content":${print(content)}` : "";
  const body = `{"question":${question},"action":"${action}"${said}}`;
  await api.send("POST", `/api/sessions/${part(call.session)}/calls/${part(call.id)}/answers`, body);
  change((all, now) => answered(all, call.id, question, now));
}
