import { expect, it } from "vitest";
import { parse, print, withMember, type ObjectNode } from "../json/json";
import { draftOf, drafts, fillDraft, typed } from "./drafts";

it("loses nothing between form and JSON", () => {
  const text = '{ "n": 12345678901234567890, "z": 1e400, "unknown": {"b":1,"a":2}, "n": 1.0 }';
  const draft = typed(draftOf(parse("{}")), text);
  expect(draft.wrong).toBe("");
  const changed = withMember(draft.node as ObjectNode, "added", { kind: "boolean", value: true });
  expect(print(parse(draftOf(changed).text))).toBe(
    '{"n":12345678901234567890,"z":1e400,"unknown":{"b":1,"a":2},"n":1.0,"added":true}',
  );
});

it("keeps the last good arguments while the text is wrong", () => {
  const good = typed(draftOf(parse("{}")), '{"a":1}');
  const bad = typed(good, '{"a":');
  expect(bad.wrong).toMatch(/line 1, column 6/);
  expect(print(bad.node)).toBe('{"a":1}');
  expect(typed(good, "[]").wrong).toBe("arguments must be an object");
  expect(print(typed(good, " ").node)).toBe("{}");
});

it("leaves a text alone that says the same", () => {
  drafts.set({ t: typed(draftOf(parse("{}")), '{"a":   1}') });
  fillDraft("t", parse('{"a":1}'));
  expect(drafts.get()["t"]?.text).toBe('{"a":   1}');
  fillDraft("t", parse('{"a":2}'));
  expect(drafts.get()["t"]?.text).toBe('{\n  "a": 2\n}');
});
