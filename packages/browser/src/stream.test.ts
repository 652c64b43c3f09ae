import { expect, test } from "vitest";
import { resultOf } from "./result.js";
import { base64, framesOf, HEADER_BYTES, textOf, writingOf } from "./stream.js";

const TOOL = { name: "tool" };

test("base64 is what everyone else writes, whatever the length", () => {
  for (let length = 0; length < 70; length += 1) {
    const bytes = Uint8Array.from({ length }, (_, at) => (at * 37 + length) % 256);
    expect(Buffer.from(base64(bytes)).toString()).toBe(Buffer.from(bytes).toString("base64"));
  }
});

async function framed(value: unknown, frameBytesMax: number) {
  const writing = writingOf(resultOf(value, TOOL));
  const frames: Uint8Array[] = [];
  const lasts: boolean[] = [];
  for await (const { frame, isLast } of framesOf(writing, frameBytesMax)) {
    frames.push(frame);
    lasts.push(isLast);
  }
  const bytes = Buffer.concat(frames.map((frame) => frame.subarray(HEADER_BYTES)));
  return { writing, frames, lasts, bytes };
}

test.each([
  ["text", "grüße 🌍 ".repeat(50)],
  ["bytes", new Uint8Array(1000).fill(7)],
  ["a blob", new Blob(["abc".repeat(400)], { type: "image/png" })],
  ["both", [new Uint8Array(100), "text between", new Uint8Array(401)]],
])("frames of %s together are the text, and none is too large", async (_name, value) => {
  for (const frameBytesMax of [20, 64, 1024, 100_000]) {
    const { writing, frames, lasts, bytes } = await framed(value, frameBytesMax);
    expect(bytes.length).toBe(writing.size);
    expect(bytes.toString()).toBe(await textOf(writing));
    expect(Math.max(...frames.map((frame) => frame.length))).toBeLessThanOrEqual(frameBytesMax);
    expect(lasts.filter(Boolean)).toEqual([true]);
    expect(lasts.at(-1)).toBe(true);
  }
});

test("a blob is read in pieces that join without padding", async () => {
  const bytes = Uint8Array.from({ length: 500_003 }, (_, at) => at % 251);
  const { bytes: json } = await framed(new File([bytes], "a b.bin"), 262_144);
  const { content } = JSON.parse(json.toString()) as { content: { resource: { uri: string; blob: string } }[] };
  expect(content[0]?.resource.uri).toBe("page:///a%20b.bin");
  expect(Buffer.from(content[0]?.resource.blob ?? "", "base64").equals(bytes)).toBe(true);
});

test("text that looks like a place for bytes is text", async () => {
  const value = { content: [{ type: "text", text: "1-2-3-4:0" }] };
  expect(JSON.parse(await textOf(writingOf(resultOf(value, TOOL))))).toEqual(value);
});
