import { describe, expect, it } from "vitest";
import {
  answered,
  asked,
  callsOf,
  CALLS_MAX,
  completed,
  isFailed,
  learn,
  logged,
  progressed,
  recorded,
  started,
  type Calls,
} from "./call";

const none: Calls = new Map();
const start = { call: "c1", server: "demo", tool: "roast", arguments_bytes: 2 };
const complete = {
  call: "c1",
  server: "demo",
  tool: "roast",
  ending: "ok" as const,
  is_error: false,
  bytes_in: 10,
  bytes_out: 5,
  tokens_in: 4,
  tokens_out: 2,
  duration_ms: 50,
};
const record = {
  id: "c1",
  state: "over" as const,
  session: "s",
  server: "demo",
  tool: "roast",
  client: "agent",
  arguments_sha256: "",
  ending: "ok" as const,
  started_at: "2026-01-01T00:00:00Z",
  duration_ms: 50,
  bytes_in: 10,
  bytes_out: 5,
  tokens_in: 4,
  tokens_out: 2,
  notes: [],
  files: ["k"],
  handed: [],
};

describe("a call", () => {
  it("runs, comes further, and is over", () => {
    let calls = started(none, "s", start, { kind: "object", members: [] }, 1000);
    expect(calls.get("c1")).toMatchObject({ state: "running", tool: "roast", startedAt: 1000 });
    calls = progressed(calls, "s", { call: "c1", progress: 2, total: 4, message: "crack" }, 1001);
    expect(calls.get("c1")?.progress).toEqual({ progress: 2, total: 4, message: "crack" });
    calls = completed(calls, "s", complete, 1050);
    expect(calls.get("c1")).toMatchObject({ state: "over", ending: "ok", durationMs: 50, tokensOut: 2 });
    expect(calls.get("c1")?.progress).toBeUndefined();
  });

  it("never runs again, in whichever order the news come", () => {
    let calls = completed(none, "s", complete, 1050);
    calls = started(calls, "s", start, undefined, 1060);
    calls = progressed(calls, "s", { call: "c1", progress: 1 }, 1070);
    calls = recorded(calls, [{ ...record, state: "running", ending: null }], 1080);
    expect(calls.get("c1")).toMatchObject({ state: "over", ending: "ok" });
    expect(calls.get("c1")?.progress).toBeUndefined();
  });

  it("keeps what a record does not say", () => {
    let calls = started(none, "s", start, { kind: "number", text: "1" }, 1000);
    calls = learn(calls, { id: "c1", isOwn: true }, 1000);
    calls = recorded(calls, [record], 2000);
    expect(calls.get("c1")).toMatchObject({ isOwn: true, args: { text: "1" }, client: "agent", filesCount: 1 });
  });

  it("asks, and forgets questions that were answered or are too late", () => {
    let calls = started(none, "s", start, undefined, 0);
    const params = { kind: "null" } as const;
    calls = asked(calls, "c1", { question: 1, params }, 0);
    calls = asked(calls, "c1", { question: 1, params }, 0);
    calls = asked(calls, "c1", { question: 2, params }, 0);
    expect(calls.get("c1")?.questions).toHaveLength(2);
    calls = answered(calls, "c1", 1, 0);
    expect(calls.get("c1")?.questions.map((one) => one.question)).toEqual([2]);
    calls = completed(calls, "s", complete, 1);
    expect(calls.get("c1")?.questions).toEqual([]);
    expect(asked(calls, "c1", { question: 3, params }, 2).get("c1")?.questions).toEqual([]);
  });

  it("knows failures from cancellations", () => {
    expect(isFailed({ state: "over", ending: "tool_error" })).toBe(true);
    expect(isFailed({ state: "over", ending: "cancelled" })).toBe(false);
    expect(isFailed({ state: "running" })).toBe(false);
  });
});

describe("calls", () => {
  it("are listed by session, the newest first, up to a number", () => {
    let calls: Calls = none;
    for (let i = 0; i < CALLS_MAX + 5; i++)
      calls = learn(calls, { id: `c${i}`, session: i % 2 ? "a" : "b", state: "over", startedAt: i }, i);
    expect(calls.size).toBe(CALLS_MAX);
    expect(calls.has("c0")).toBe(false);
    const listed = callsOf(calls, "a");
    expect(listed[0]?.id).toBe(`c${CALLS_MAX + 3}`);
    expect(listed.every((call) => call.session === "a")).toBe(true);
  });

  it("keep a bounded log", () => {
    let calls = started(none, "s", start, undefined, 0);
    for (let i = 0; i < 600; i++) calls = logged(calls, "c1", { level: "info", text: String(i) }, 0);
    expect(calls.get("c1")?.log).toHaveLength(500);
    expect(calls.get("c1")?.log.at(-1)?.text).toBe("599");
  });
});
