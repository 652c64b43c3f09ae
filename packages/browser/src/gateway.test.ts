import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { STEADY_MS } from "./backoff.js";
import { FakeSocket } from "./fake-socket.js";
import { GatewayLink } from "./gateway.js";
import type { ConnectionState } from "./messages.js";

let states: ConnectionState[];
let link: GatewayLink;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", FakeSocket);
  vi.stubGlobal("__VERSION__", "0");
  FakeSocket.all = [];
  states = [];
  const nothing = () => undefined;
  link = new GatewayLink("ws://gateway/api/page", {
    welcomed: nothing,
    received: nothing,
    lost: nothing,
    changed: (state) => states.push(state),
  });
  link.open();
});
afterEach(() => {
  link.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const latest = () => FakeSocket.latest();

/** Lets time pass; every connection is welcomed and closed at once, and counted. */
function minutes(count: number, welcomes: boolean): number {
  const before = FakeSocket.all.length;
  for (let second = 0; second < count * 60; second += 1) {
    const socket = latest();
    if (socket.onclose) {
      if (welcomes) socket.welcome();
      socket.end();
    }
    vi.advanceTimersByTime(1000);
  }
  return FakeSocket.all.length - before;
}

test.each([true, false])("a gateway that closes at once is not hammered (welcomed before: %s)", (welcomes) => {
  expect(minutes(5, welcomes)).toBeLessThan(25);
  // Half a minute at most, and half of that at least, lie between two attempts now.
  const later = minutes(5, welcomes);
  expect(later).toBeGreaterThanOrEqual(8);
  expect(later).toBeLessThanOrEqual(21);
});

test("after a connection that held for a while the next attempt comes soon", () => {
  minutes(5, true);
  while (!latest().onclose) vi.advanceTimersByTime(1000);
  latest().welcome();
  vi.advanceTimersByTime(STEADY_MS);
  const before = FakeSocket.all.length;
  latest().end();
  expect(states.at(-1)?.status).toBe("reconnecting");
  vi.advanceTimersByTime(500);
  expect(FakeSocket.all.length).toBe(before + 1);
});

test("one that did not hold counts on", () => {
  latest().end();
  vi.advanceTimersByTime(500);
  latest().end();
  vi.advanceTimersByTime(1000);
  latest().end();
  vi.advanceTimersByTime(2000);
  latest().welcome();
  vi.advanceTimersByTime(STEADY_MS - 1);
  const before = FakeSocket.all.length;
  latest().end();
  vi.advanceTimersByTime(1999);
  expect(FakeSocket.all.length).toBe(before);
  vi.advanceTimersByTime(2001);
  expect(FakeSocket.all.length).toBe(before + 1);
});

test.each([
  [4401, undefined],
  [4403, "origin"],
])("a refusal with %d stands", (code, word) => {
  latest().onopen?.();
  if (word) latest().says({ type: "refused", code: word, reason: "no", hint: "ask" });
  latest().end(code);
  expect(states.at(-1)).toMatchObject({ status: "refused", code: word ?? String(code) });
  vi.advanceTimersByTime(3_600_000);
  expect(FakeSocket.all.length).toBe(1);
});

test("the next connection says the token that was set", () => {
  link.token = "new";
  latest().end();
  vi.advanceTimersByTime(500);
  latest().onopen?.();
  expect(latest().heard("hello")).toMatchObject([{ token: "new" }]);
});
