import { expect, test } from "vitest";
import { Bytes, errorResult, jsonText, resultOf } from "./result.js";

const TOOL = { name: "tool" };
const text = (text: string) => ({ content: [{ type: "text", text }] });

test.each([
  ["nothing", undefined, { content: [] }],
  ["null", null, text("null")],
  ["a string, whose digits stay", '{"n": 1.10}', text('{"n": 1.10}')],
  ["a number", 4, text("4")],
  ["an object", { a: [1, "x"] }, text('{"a":[1,"x"]}')],
  ["an empty list", [], text("[]")],
  ["an object with some other content", { content: "page" }, text('{"content":"page"}')],
  ["a date in it", { at: new Date(0) }, text('{"at":"1970-01-01T00:00:00.000Z"}')],
])("%s", (_name, value, expected) => {
  expect(resultOf(value, TOOL)).toEqual(expected);
});

test("a result keeps all that it has", () => {
  const result = { content: [], structuredContent: [1], isError: true, _meta: { a: 1 }, more: 2 };
  expect(resultOf(result, TOOL)).toEqual(result);
});

test("a string is itself by its schema, and JSON text is left to the gateway", () => {
  expect(resultOf("x", { name: "t", outputSchema: { type: "string" } })).toEqual({
    ...text("x"),
    structuredContent: "x",
  });
  expect(resultOf("[1]", { name: "t", outputSchema: { type: "array" } })).toEqual(text("[1]"));
  expect(resultOf([1], { name: "t", outputSchema: { type: "array" } })).toEqual(text("[1]"));
});

test.each([
  [new Uint8Array(2), "tool-1.bin", "application/octet-stream"],
  [new ArrayBuffer(2), "tool-1.bin", "application/octet-stream"],
  [new DataView(new ArrayBuffer(4), 1, 2), "tool-1.bin", "application/octet-stream"],
  [new Blob(["ab"], { type: "text/csv" }), "tool-1.csv", "text/csv"],
  [new Blob(["ab"], { type: "text/plain;charset=utf-8" }), "tool-1.txt", "text/plain"],
  [new File(["ab"], "pic/ture.png", { type: "image/png" }), "pic%2Fture.png", "image/png"],
])("%o is a file", (value, name, mimeType) => {
  const [block] = resultOf(value, TOOL).content as { type: string; resource: { blob: Bytes } }[];
  expect(block).toMatchObject({ type: "resource", resource: { uri: `page:///${name}`, mimeType } });
  expect(block?.resource.blob).toBeInstanceOf(Bytes);
});

test("a picture without a name is for the eye", () => {
  expect(resultOf(new Blob([], { type: "image/png" }), TOOL).content).toMatchObject([
    { type: "image", mimeType: "image/png" },
  ]);
});

test("files may stand in a result's content", () => {
  const content = [{ type: "text", text: "two" }, new Uint8Array(1)];
  expect(resultOf({ content }, TOOL).content).toMatchObject([{ type: "text" }, { type: "resource" }]);
});

test("errors say something", () => {
  const said = (error: unknown) => errorResult(error).content;
  expect(said(new Error("no row"))).toEqual([{ type: "text", text: "no row" }]);
  expect(said(new TypeError(""))).toEqual([{ type: "text", text: "TypeError" }]);
  expect(said("")).toEqual([{ type: "text", text: "the tool failed and did not say why" }]);
});

test("what is no JSON is said, not lost", () => {
  expect(() => jsonText(() => 1)).toThrow("a function cannot be a tool's result");
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  expect(() => jsonText(circle)).toThrow(/circular/i);
});
