import { describe, expect, it } from "vitest";
import { shownOf } from "./shown";

const uri = "resultant://files/a%20b.csv?sha256=00";

describe("what a result asks to be shown", () => {
  it("is the files that the gateway named", () => {
    const files = [{ uri, name: "a b.csv", mimeType: "text/csv", size: 12, page: "http://127.0.0.1:8737/#/file/k" }];
    const { items, isError } = shownOf({ content: [{ type: "text", text: "{}" }], _meta: { "resultant/files": files } });
    expect(isError).toBe(false);
    expect(items).toEqual([
      { kind: "file", name: "a b.csv", file: { uri, name: "a b.csv", mime: "text/csv", size: 12, page: "http://127.0.0.1:8737/#/file/k" } },
    ]);
  });

  it("is never another resource, nor a link that is no web page", () => {
    const files = [{ uri: "file:///etc/passwd" }, { uri, page: "javascript:alert(1)" }, null, "x", { uri: 1 }];
    const { items } = shownOf({ _meta: { "resultant/files": files } });
    expect(items).toMatchObject([{ kind: "file", name: "a b.csv", file: { mime: "", size: undefined, page: undefined } }]);
    const link = { type: "resource_link", uri: "https://example.com/x", name: "x" };
    expect(shownOf({ content: [link] }).items).toEqual([]);
  });

  it("is a file that a server links to, but no page that the server names", () => {
    const link = { type: "resource_link", uri, name: "a b.csv", mimeType: "text/csv", size: 12, page: "https://evil.example/" };
    const file = { uri, name: "a b.csv", mime: "text/csv", size: 12, page: undefined };
    expect(shownOf({ content: [link] }).items).toEqual([{ kind: "file", name: "a b.csv", file }]);
  });

  it("is what stands in it, where there are no files", () => {
    const image = { type: "image", mimeType: "image/png", data: "AAAA" };
    const kinds = (result: unknown): string[] => shownOf(result).items.map((item) => item.kind);
    expect(kinds({ content: [{ type: "text", text: "hello" }, image] })).toEqual(["text", "image"]);
    expect(kinds({ content: [{ type: "text", text: '{"a": 12345678901234567890}' }] })).toEqual(["json"]);
    expect(kinds({ content: [{ type: "text", text: "{a}" }] })).toEqual(["text"]);
    expect(kinds({ content: [{ type: "text", text: "once more" }], structuredContent: { a: 1 } })).toEqual(["json"]);
    expect(kinds({ content: [image], structuredContent: { a: 1 } })).toEqual(["image"]);
    const resource = { uri: "x:/notes.md", mimeType: "text/markdown", text: "# hi" };
    expect(shownOf({ content: [{ type: "resource", resource }] }).items).toEqual([{ kind: "markdown", name: "notes.md", text: "# hi" }]);
  });

  it.each([undefined, null, 1, "x", [], {}, { content: 1 }, { content: [null, 1, {}] }, { _meta: { "resultant/files": {} } }])("is nothing in %j", (result) => {
    expect(shownOf(result).items).toEqual([]);
  });

  it("can be told from the sentence for the model alone", () => {
    const said = (value: unknown): unknown => ({ content: [{ type: "text", text: JSON.stringify(value) }] });
    const answer = { shown: "a b?.csv", type: "text/csv", size: 12, note: "seen" };
    const file = { uri: "resultant://files/a%20b%3F.csv", name: "a b?.csv", mime: "text/csv", size: 12, page: undefined };
    expect(shownOf(said(answer)).items).toEqual([{ kind: "file", name: "a b?.csv", file }]);
    for (const other of [{ ...answer, shown: 1 }, { shown: "a" }]) expect(shownOf(said(other)).items).toMatchObject([{ kind: "json" }]);
  });
});
