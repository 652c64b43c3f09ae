import { describe, expect, it } from "vitest";
import { parse } from "../json/json";
import { errorOf, isMarkdown, piecesOf, readNotes, readRendered, readSeen, readView, savedShare } from "./view";

const kinds = (text: string) => piecesOf(parse(text)).map((piece) => piece.kind);

describe("pieces of a result", () => {
  it.each([
    ["null", ["nothing"]],
    ["0", ["scalar"]],
    ["false", ["scalar"]],
    ['""', ["text"]],
    ['"# Title\\n\\ntext"', ["markdown"]],
    ['{"a":1,"b":"x","c":null}', ["facts"]],
    ['[{"a":1},{"a":2}]', ["rows"]],
    ["[1,2,3]", ["tree"]],
    ["[]", ["tree"]],
    ["{}", ["tree"]],
    ['{"total":2,"items":[{"a":1},{"a":2}],"page":{"next":[1]}}', ["facts", "rows", "tree"]],
    ['{"a":1,"deep":{"b":2}}', ["tree"]],
  ])("%s: %j", (text, expected) => {
    expect(kinds(text)).toEqual(expected);
  });

  it("keeps the digits of a number", () => {
    expect(piecesOf(parse("12345678901234567890.10"))).toEqual([{ kind: "scalar", text: "12345678901234567890.10", type: "number" }]);
  });

  it("does not take every text for Markdown", () => {
    expect(isMarkdown("a - b * c # d [x] (y)")).toBe(false);
    expect(isMarkdown("- one\n- two\n- three\n")).toBe(true);
    expect(isMarkdown("see [docs](https://example.org)")).toBe(true);
    expect(isMarkdown("| a | b |\n|---|---|\n| 1 | 2 |")).toBe(true);
  });
});

describe("renderings", () => {
  it("reads the view", () => {
    const view = readView(
      parse('{"dialect":"blocks","is_error":true,"results":{"error":"bad"},"files":[{"name":"a","mime":"text/plain","size":3,"sha256":"x","shown_as":"text","showable":true}],"links":[],"notes":[]}'),
    );
    expect(view).toMatchObject({ dialect: "blocks", isError: true, files: [{ name: "a", size: 3, isShowable: true, shownAs: "text" }] });
    expect(errorOf(view.results)).toEqual({ message: "bad" });
    expect(errorOf(parse('{"error":"x\\ny","details":{"n":1}}'))).toMatchObject({ message: "x\ny", details: { kind: "object" } });
  });

  it("tells a document from its beginning, also when the document is null", () => {
    expect(readRendered(parse('{"bytes":4,"json":null}'))).toEqual({ bytes: 4, json: { kind: "null" } });
    expect(readRendered(parse('{"bytes":4000000,"json":null,"head":"{"}'))).toEqual({ bytes: 4000000, head: "{" });
  });

  it("reads what a client's model sees, by lanes", () => {
    const seen = readSeen(
      parse('{"model":{"text":"t","tokens":1,"bytes":1,"complete":false,"offloaded":["rest.json"]},"seen":{"lanes":[{"lane":"content","text":"a","tokens":2,"bytes":1},{"lane":"structured","text":"b","tokens":3,"bytes":1}],"tokens":5,"bytes":2,"tokens_before":100}}'),
    );
    expect(seen).toMatchObject({ tokens: 5, tokensBefore: 100, isComplete: false, offloaded: ["rest.json"] });
    expect(seen.lanes.map((lane) => lane.lane)).toEqual(["content", "structured"]);
  });

  it("falls back to the text for models", () => {
    expect(readSeen(parse('{"model":{"text":"t","tokens":1,"bytes":1,"complete":true,"offloaded":[]}}'))).toEqual({
      lanes: [{ lane: "content", text: "t", tokens: 1, bytes: 1 }], tokens: 1, bytes: 1, isComplete: true, offloaded: [],
    });
  });

  it("reads notes with what was left out", () => {
    expect(readNotes(parse('[{"rule":"R6","place":"/a","message":"m","weight":"changed","left_out":999}]'))).toEqual([
      { rule: "R6", place: "/a", message: "m", weight: "changed", leftOut: { kind: "number", text: "999" } },
    ]);
    expect(readNotes(undefined)).toEqual([]);
  });

  it("counts what was saved", () => {
    expect(savedShare(100, 25)).toBe(0.75);
    expect(savedShare(10, 20)).toBeUndefined();
    expect(savedShare(undefined, 20)).toBeUndefined();
  });
});
