import { describe, expect, it } from "vitest";
import { EDITOR_LINE_CHARS_MAX, isTooLong, rowStarts } from "./broken-lines";

function rows(text: string, width: number): string[] {
  const starts = rowStarts(text, width);
  return Array.from({ length: starts.length - 1 }, (_, row) => text.slice(starts[row], starts[row + 1]));
}

describe("broken lines", () => {
  it("breaks at the width and at line ends, and loses nothing", () => {
    expect(rows("abcdefgh\nij\n\nk", 3)).toEqual(["abc", "def", "gh\n", "ij\n", "\n", "k"]);
    expect(rows("abc\n", 3)).toEqual(["abc\n"]);
    expect(rows("abcdef", 3)).toEqual(["abc", "def"]);
    expect(rows("", 3)).toEqual([]);
  });

  it("keeps characters whole", () => {
    const text = "a😀b😀c😀";
    const broken = rows(text, 2);
    expect(broken.join("")).toBe(text);
    for (const row of broken) expect(row).not.toMatch(/\p{Cs}/u);
  });

  it("knows when it is needed", () => {
    expect(isTooLong("x\n".repeat(EDITOR_LINE_CHARS_MAX))).toBe(false);
    expect(isTooLong(`short\n${"x".repeat(EDITOR_LINE_CHARS_MAX + 1)}`)).toBe(true);
  });
});
