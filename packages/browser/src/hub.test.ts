import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeSocket } from "./fake-socket.js";
import { Hub } from "./hub.js";
import type { CallMessage, ToHub, ToTab } from "./messages.js";
import { HEADER_BYTES } from "./stream.js";

const facts = { title: "", url: "https://app.example/", active: false, visible: false };
const tool = { name: "look", description: "", inputSchema: {} };

/** A tab, as its hub sees it. */
class FakeTab {
  readonly told: ToTab[] = [];
  say: (message: ToHub) => void = () => undefined;

  constructor(
    readonly id: string,
    token: string,
  ) {
    const port = {
      post: (message: ToTab) => void this.told.push(message),
      listen: (receive: (message: ToHub) => void) => (this.say = receive),
      close: () => undefined,
    };
    hub.join({ kind: "open", gateway: hub.address, tab: id, facts, token, lock: undefined }, port);
    this.say({ kind: "register", tool });
  }

  get calls(): CallMessage[] {
    return this.told.filter((message) => message.kind === "call");
  }

  get states(): string[] {
    return this.told.filter((message) => message.kind === "state").map(({ state }) => state.status);
  }

  /** Everything that can be said of a call. */
  answer(call: string): void {
    this.say({ kind: "progress", call, progress: 1, total: undefined, message: undefined });
    this.say({ kind: "frame", call, frame: new Uint8Array(HEADER_BYTES + 1), isLast: true });
    this.say({ kind: "result", call, json: `"${this.id}"` });
    this.say({ kind: "failed", call, message: this.id });
  }
}

let hub: Hub;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", FakeSocket);
  vi.stubGlobal("__VERSION__", "0");
  FakeSocket.all = [];
  hub = new Hub("ws://gateway/api/page");
});
afterEach(() => {
  hub.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Answers the latest question whose a token is. */
function decide(socket: FakeSocket, isSame: boolean): void {
  const id = socket.heard("token").at(-1)?.["id"];
  socket.says(isSame ? { type: "welcome", id, user: "anna" } : { type: "refused", id, code: "another_user" });
}

/** Anna's tab and Bob's, each on a connection of its own. */
function annaAndBob() {
  const annas = new FakeTab("annas", "anna");
  const anna = FakeSocket.latest();
  anna.welcome("anna");
  const bobs = new FakeTab("bobs", "bob");
  decide(anna, false);
  const bob = FakeSocket.latest();
  bob.welcome("bob");
  expect(FakeSocket.all).toEqual([anna, bob]);
  return { annas, anna, bobs, bob };
}

const call = (tab: string) => ({ type: "call", call: "1", name: tool.name, tab });
const idOf = (tab: FakeTab) => tab.calls.at(-1)?.call ?? "";

/** What a gateway was told of calls. */
function answers(socket: FakeSocket): unknown[] {
  const bytes = socket.sent.filter((frame) => typeof frame !== "string");
  return [...["progress", "result", "failed"].flatMap((type) => socket.heard(type)), ...bytes];
}

test("a call is answered by its own tab alone", () => {
  const one = new FakeTab("one", "anna");
  const socket = FakeSocket.latest();
  socket.welcome();
  const other = new FakeTab("other", "anna");
  socket.says(call("one"));
  other.answer(idOf(one));
  expect(answers(socket)).toEqual([]);
  one.say({ kind: "result", call: idOf(one), json: '"one"' });
  expect(socket.heard("result")).toEqual([{ type: "result", call: "1", result: "one" }]);
});

test("what a tab says of one user's call is not taken for another's of the same number", () => {
  const { annas, anna, bobs, bob } = annaAndBob();
  anna.says(call("annas"));
  const old = idOf(annas);
  annas.say({ kind: "token", token: "bob" });
  expect(anna.heard("failed")).toMatchObject([{ call: "1" }]);
  // The tab is busy and has not yet seen that the call was cancelled.
  bob.says(call("bobs"));
  annas.answer(old);
  bob.says({ type: "cancel", call: "1" });
  bob.says(call("annas"));
  annas.answer(old);
  expect(answers(bob)).toEqual([]);
  expect(bobs.told).toContainEqual({ kind: "cancel", call: idOf(bobs), reason: "the call was cancelled" });
  annas.say({ kind: "result", call: idOf(annas), json: '"bob"' });
  expect(bob.heard("result")).toEqual([{ type: "result", call: "1", result: "bob" }]);
});

test("a call waits until it is known whose its tab is", () => {
  const tab = new FakeTab("tab", "old");
  const socket = FakeSocket.latest();
  socket.welcome();
  tab.say({ kind: "token", token: "new" });
  socket.says(call("tab"));
  expect(tab.calls).toEqual([]);
  decide(socket, true);
  expect(tab.calls.length).toBe(1);
});

test("a call that is cancelled while it waits does not run", () => {
  const tab = new FakeTab("tab", "old");
  const socket = FakeSocket.latest();
  socket.welcome();
  tab.say({ kind: "token", token: "new" });
  socket.says(call("tab"));
  socket.says({ type: "cancel", call: "1" });
  decide(socket, true);
  expect(tab.calls).toEqual([]);
  expect(answers(socket)).toEqual([]);
});

test("a call that waits is gone with its connection", () => {
  const tab = new FakeTab("tab", "old");
  new FakeTab("other", "old");
  const before = FakeSocket.latest();
  before.welcome();
  tab.say({ kind: "token", token: "new" });
  before.says(call("tab"));
  before.end();
  vi.advanceTimersByTime(1000);
  const socket = FakeSocket.latest();
  expect(socket).not.toBe(before);
  socket.welcome();
  decide(socket, true);
  expect(tab.calls).toEqual([]);
  // Nor is it answered: the number may be another call's by now.
  expect(answers(socket)).toEqual([]);
});

test("a line that is connected is asked whose a token is, and not the first", () => {
  const { anna, bob } = annaAndBob();
  anna.end();
  const tab = new FakeTab("third", "bob, anew");
  expect(bob.heard("token")).toMatchObject([{ token: "bob, anew" }]);
  decide(bob, true);
  expect(tab.states).toEqual(["connected"]);
});

test("a refusal of the last token is not said again of the next", () => {
  new FakeTab("annas", "anna");
  const anna = FakeSocket.latest();
  anna.welcome();
  const tab = new FakeTab("tab", "stale");
  anna.says({ type: "refused", id: anna.heard("token").at(-1)?.["id"], code: "credentials" });
  expect(tab.states).toEqual(["refused"]);
  anna.end();
  tab.say({ kind: "token", token: "fresh" });
  vi.advanceTimersByTime(1000);
  FakeSocket.latest().welcome();
  // It is asked about, and whose connection this is does not matter to the tab before that is answered.
  expect(tab.states).not.toContain("connected");
  decide(FakeSocket.latest(), true);
  expect(tab.states.filter((status) => status === "refused")).toEqual(["refused"]);
  expect(tab.states.at(-1)).toBe("connected");
});
