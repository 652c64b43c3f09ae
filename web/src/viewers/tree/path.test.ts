import { expect, it } from "vitest";
import { jqPath, type Step } from "./path";

it.each<[Step[], string]>([
  [[], "."],
  [["a", "b"], ".a.b"],
  [[0], ".[0]"],
  [["a", 0, "b"], ".a[0].b"],
  [[0, 1], ".[0][1]"],
  [["content-type"], '.["content-type"]'],
  [["a", "content-type", "x"], '.a["content-type"].x'],
  [["1a"], '.["1a"]'],
  [[""], '.[""]'],
  [['say "hi" \\'], '.["say \\"hi\\" \\\\"]'],
  [["größe"], '.["größe"]'],
  [["a\u202eb"], '.["a\\u202eb"]'],
  [["\u{e0041}"], '.["\\udb40\\udc41"]'],
  [["__proto__"], ".__proto__"],
  [["a b"], '.["a b"]'],
])("%j is %s", (steps, path) => {
  expect(jqPath(steps)).toBe(path);
});
