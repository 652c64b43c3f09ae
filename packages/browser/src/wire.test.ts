import { expect, test } from "vitest";
import { readFrame } from "./wire.js";

test("a welcome has its limits, or careful ones", () => {
  const limits = { frame_bytes_max: 1000, result_bytes_max: 2000 };
  expect(readFrame(JSON.stringify({ type: "welcome", user: "anna", limits, heartbeat_ms: 5 }))).toEqual({
    type: "welcome",
    user: "anna",
    frameBytesMax: 1000,
    resultBytesMax: 2000,
    heartbeatMs: 5,
  });
  expect(readFrame('{"type":"welcome"}')).toMatchObject({ frameBytesMax: 262_144, heartbeatMs: 20_000 });
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
