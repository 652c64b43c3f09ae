import { describe, expect, it } from "vitest";
import { readCsv } from "./csv";
import { csvCell, csvParts, neutralised, tsv } from "./export";

describe("formula cells", () => {
  it.each([
    "=1+1", "=cmd|' /C calc'!A0", "+SUM(A1)", "-2+3", "@SUM(1)", " =1+1", "\t=1", "\r=1", "＝1+1", "|x", "\n-x", "-", "--5",
  ])("%j gets an apostrophe", (text) => {
    expect(neutralised(text)).toBe(`'${text}`);
  });

  it.each(["-5", "+4.5", "-1e9", "a=b", "", "5%", "mail@example.org"])("%j stays as it is", (text) => {
    expect(neutralised(text)).toBe(text);
  });
});

describe("export", () => {
  const table = readCsv(new TextEncoder().encode('a,=b\n"x ""y"", z",=1\n-5,"two\nlines"\n'));

  it("writes CSV that reads back, formulas as text", () => {
    const text = csvParts(table, { rows: [1, 0], columns: [0, 1] }).join("");
    expect(text).toBe(`a,'=b\r\n-5,"two\nlines"\r\n"x ""y"", z",'=1\r\n`);
    const again = readCsv(new TextEncoder().encode(text));
    expect(again.columns).toEqual(["a", "'=b"]);
  });

  it("writes TSV on one line per row", () => {
    expect(tsv(table, { rows: [1], columns: [1, 0] }, false)).toBe("two lines\t-5");
    expect(tsv(table, { rows: [0], columns: [0] }, true)).toBe('a\nx "y", z');
  });

  it("quotes what needs it", () => {
    expect(csvCell("a;b")).toBe('"a;b"');
    expect(csvCell(" a")).toBe('" a"');
    expect(csvCell("=a,b")).toBe('"\'=a,b"');
  });
});
