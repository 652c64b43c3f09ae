import { expect, it } from "vitest";
import { EventDecoder, pauseMs, type StreamEvent } from "./events";

const STREAM =
  ': hello\r\n\r\nid: 4\nevent: tool_start\ndata: {"a":\ndata: 1}\n\nevent: tools_changed\ndata:{}\n\nid: 5\n\n';
const EVENTS: StreamEvent[] = [
  { id: "4", type: "tool_start", data: '{"a":\n1}' },
  { id: null, type: "tools_changed", data: "{}" },
];

it("gives the same events however the text is cut", () => {
  for (let size = 1; size <= STREAM.length; size++) {
    const decoder = new EventDecoder();
    const events: StreamEvent[] = [];
    for (let at = 0; at < STREAM.length; at += size) events.push(...decoder.push(STREAM.slice(at, at + size)));
    expect(events).toEqual(EVENTS);
  }
});

it("pauses longer each time, within bounds", () => {
  expect(pauseMs(1, 1)).toBe(400);
  expect(pauseMs(3, 1)).toBe(1600);
  expect(pauseMs(50, 1)).toBe(5000);
  expect(pauseMs(50, 0)).toBe(2500);
});
