import { describe, expect, it } from "vitest";
import { hasHidden, pieces, withEscapes } from "./escapes";

describe("hidden characters", () => {
  it.each([
    ["a\u202Egpj.exe", "a\\u{202e}gpj.exe"],
    ["\u2066x\u2069", "\\u{2066}x\\u{2069}"],
    ["\u{E0041}\u{E0042}", "\\u{e0041}\\u{e0042}"],
    ["\u001b]8;;http://x\u0007", "\\e]8;;http://x\\x07"],
    ["a\u200Bb\uFEFF", "a\\u{200b}b\\u{feff}"],
    ["\0", "\\0"],
    ["\u0085", "\\x85"],
    ["\ud800!", "\\u{d800}!"],
    ["\u3164", "\\u{3164}"],
  ])("shows %j as %s", (text, shown) => {
    expect(withEscapes(text)).toBe(shown);
    expect(hasHidden(text)).toBe(true);
  });

  it("leaves what is seen as it is", () => {
    const text = "tab\tline\r\nümläut 日本語 😀 ❤\uFE0F 👩\u200D🚀 العربية";
    expect(withEscapes(text)).toBe(text);
    expect(hasHidden(text)).toBe(false);
  });

  it("joins neighbours and keeps the order", () => {
    expect(pieces("a\u200B\u200Bb")).toEqual([
      { text: "a", isEscape: false },
      { text: "\\u{200b}\\u{200b}", isEscape: true },
      { text: "b", isEscape: false },
    ]);
    expect(pieces("")).toEqual([]);
  });

  it("does not remember where it was", () => {
    for (let turn = 0; turn < 3; turn += 1) expect(hasHidden("\u200B")).toBe(true);
  });
});
