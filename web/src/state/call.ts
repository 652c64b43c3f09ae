// What is known of a call, from whichever side it came: our own stream, the session's events, the records.
// All of it is pure. News may come twice and in any order; a call that is over never runs again.

import type { Schemas } from "../api/client";
import type { Node } from "../json/json";

/** How many calls the page remembers. */
export const CALLS_MAX = 500;
export const LOG_LINES_MAX = 500;

export interface Question {
  question: number;
  /** The parameters of `elicitation/create`. */
  params: Node;
}

export interface LogLine {
  level: string;
  text: string;
}

export interface Call {
  id: string;
  session: string;
  server: string;
  tool: string;
  /** The caller's name for itself; empty where only events told of it. */
  client: string;
  /** Whether this page made it. */
  isOwn: boolean;
  state: "running" | "over";
  ending?: Schemas["EndingWord"];
  message?: string;
  /** As written; absent where it is not known (yet). */
  args?: Node;
  startedAt: number;
  durationMs?: number;
  progress?: { progress: number; total?: number; message?: string };
  questions: Question[];
  log: LogLine[];
  tokensIn?: number;
  tokensOut?: number;
  bytesIn?: number;
  bytesOut?: number;
  filesCount?: number;
  isCancelling?: boolean;
}

export type Calls = ReadonlyMap<string, Call>;

/** A call is seen for the first time, or more of it is known. */
export function learn(calls: Calls, news: Partial<Call> & { id: string }, now: number): Calls {
  const before = calls.get(news.id);
  const blank: Call = {
    id: news.id,
    session: "",
    server: "",
    tool: "",
    client: "",
    isOwn: false,
    state: "running",
    startedAt: now,
    questions: [],
    log: [],
  };
  const known = Object.fromEntries(Object.entries(news).filter(([, value]) => value !== undefined && value !== ""));
  const call: Call = { ...(before ?? blank), ...known };
  if (before?.state === "over") {
    call.state = "over";
    if (before.ending) call.ending = before.ending;
  }
  if (before) {
    call.isOwn = before.isOwn || call.isOwn;
    call.startedAt = news.startedAt ?? before.startedAt;
  }
  if (call.state === "over") {
    call.questions = [];
    delete call.progress;
    delete call.isCancelling;
  }
  const next = new Map(calls);
  next.set(call.id, call);
  return next.size > CALLS_MAX ? forgetOldest(next) : next;
}

export function started(
  calls: Calls,
  session: string,
  event: Schemas["ToolStart"],
  args: Node | undefined,
  now: number,
): Calls {
  return learn(calls, { id: event.call, session, server: event.server, tool: event.tool, args }, now);
}

export function progressed(calls: Calls, session: string, event: Schemas["ToolProgress"], now: number): Calls {
  if (calls.get(event.call)?.state === "over") return calls;
  const progress: Call["progress"] = { progress: event.progress };
  if (typeof event.total === "number") progress.total = event.total;
  if (event.message) progress.message = event.message;
  return learn(calls, { id: event.call, session, progress }, now);
}

export function completed(calls: Calls, session: string, event: Schemas["ToolComplete"], now: number): Calls {
  return learn(
    calls,
    {
      id: event.call,
      session,
      server: event.server,
      tool: event.tool,
      state: "over",
      ending: event.ending,
      message: event.message ?? undefined,
      startedAt: calls.get(event.call)?.startedAt ?? now - event.duration_ms,
      durationMs: event.duration_ms,
      tokensIn: event.tokens_in,
      tokensOut: event.tokens_out,
      bytesIn: event.bytes_in,
      bytesOut: event.bytes_out,
    },
    now,
  );
}

/** The records of the gateway. One that says `running` adds nothing to a call that is known to be over. */
export function recorded(calls: Calls, records: readonly Schemas["Call"][], now: number): Calls {
  let next = calls;
  for (const record of records) {
    const isOver = record.state === "over";
    next = learn(
      next,
      {
        id: record.id,
        session: record.session,
        server: record.server,
        tool: record.tool,
        client: record.client,
        state: record.state,
        ending: record.ending ?? undefined,
        message: record.message ?? undefined,
        startedAt: new Date(record.started_at).getTime(),
        ...(isOver && {
          durationMs: record.duration_ms,
          tokensIn: record.tokens_in,
          tokensOut: record.tokens_out,
          bytesIn: record.bytes_in,
          bytesOut: record.bytes_out,
          filesCount: record.files.length,
        }),
      },
      now,
    );
  }
  return next;
}

export function asked(calls: Calls, id: string, question: Question, now: number): Calls {
  const call = calls.get(id);
  if (!call || call.state === "over") return calls;
  return learn(
    calls,
    { id, questions: [...call.questions.filter((one) => one.question !== question.question), question] },
    now,
  );
}

export function answered(calls: Calls, id: string, question: number, now: number): Calls {
  const call = calls.get(id);
  if (!call) return calls;
  return learn(calls, { id, questions: call.questions.filter((one) => one.question !== question) }, now);
}

export function logged(calls: Calls, id: string, line: LogLine, now: number): Calls {
  const call = calls.get(id);
  if (!call) return calls;
  return learn(calls, { id, log: [...call.log, line].slice(-LOG_LINES_MAX) }, now);
}

/** The calls of a session, the newest first. */
export function callsOf(calls: Calls, session: string): Call[] {
  return [...calls.values()].filter((call) => call.session === session).sort((a, b) => b.startedAt - a.startedAt);
}

function forgetOldest(calls: Map<string, Call>): Map<string, Call> {
  const over = [...calls.values()].filter((call) => call.state === "over").sort((a, b) => a.startedAt - b.startedAt);
  const oldest = over[0];
  if (oldest) calls.delete(oldest.id);
  return calls;
}

/** What this page and programs that use the API are called in records. */
const API_CLIENT = "resultant";

/** Who called, where that is somebody else than this page. */
export function callerOf(call: Pick<Call, "client" | "isOwn">): string {
  return call.isOwn || call.client === API_CLIENT ? "" : call.client;
}

export function isFailed(call: Pick<Call, "state" | "ending">): boolean {
  return call.state === "over" && call.ending !== undefined && call.ending !== "ok" && call.ending !== "cancelled";
}
