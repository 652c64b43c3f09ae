import { expect, test } from "vitest";
import { readFrame } from "./wire.js";

test("a welcome has its limits, or careful ones", () => {
  const limits = { frame_bytes_max: 1000, result_bytes_max: 2000 };
  const welcome = { type: "welcome", user: "anna", user_id: "a1", limits, heartbeat_ms: 5 };
  expect(readFrame(JSON.stringify(welcome))).toEqual({
    type: "welcome",
    id: undefined,
    user: "anna",
    userId: "a1",
    frameBytesMax: 1000,
    resultBytesMax: 2000,
    heartbeatMs: 5,
  });
  expect(readFrame('{"type":"welcome"}')).toMatchObject({ frameBytesMax: 262_144, heartbeatMs: 20_000 });
  expect(readFrame('{"type":"welcome","id":3,"user":"anna"}')).toMatchObject({ id: 3, userId: "anna" });
});

test("a refusal says what it is about: one thing, one tab, or all", () => {
  const about = (frame: object) => {
    const read = readFrame(JSON.stringify({ type: "refused", code: "c", reason: "r", ...frame }));
    return read?.type === "refused" ? [read.id, read.tab] : undefined;
  };
  expect(about({ id: 4 })).toEqual([4, undefined]);
  expect(about({ tab: "t" })).toEqual([undefined, "t"]);
  expect(about({ id: null })).toEqual([undefined, undefined]);
});

test("a call has arguments, also where none came", () => {
  expect(readFrame('{"type":"call","call":7,"name":"t","progress":true}')).toEqual({
    type: "call",
    call: "7",
    name: "t",
    arguments: {},
    tab: undefined,
    wantsProgress: true,
  });
});

test.each(["", "no JSON", "[]", "null", '{"type":"news"}', '{"type":1}'])("%j is passed over", (text) => {
  expect(readFrame(text)).toBeUndefined();
});
