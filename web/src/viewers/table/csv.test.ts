import { describe, expect, it } from "vitest";
import { readCsv, sniffDelimiter, type CsvOptions } from "./csv";
import { cellText, rowCount, type Packed } from "./packed";

const bytes = (text: string) => new TextEncoder().encode(text);

function rows(table: Packed): string[][] {
  return Array.from({ length: rowCount(table) }, (_, row) =>
    Array.from({ length: (table.starts[row + 1] ?? 0) - (table.starts[row] ?? 0) }, (_, column) => cellText(table, row, column)),
  );
}

function check(text: string, columns: string[], expected: string[][], options?: CsvOptions) {
  const table = readCsv(bytes(text), options);
  expect(table.columns).toEqual(columns);
  expect(rows(table)).toEqual(expected);
  return table;
}

describe("CSV", () => {
  it("reads quotes, doubled quotes, and delimiters and line ends inside them", () => {
    check('a,b\n"x, y","say ""hi"""\n"two\r\nlines",""\n', ["a", "b"], [["x, y", 'say "hi"'], ["two\r\nlines", ""]]);
  });

  it("reads every line end, and a last line without one", () => {
    check("a,b\r\n1,2\r3,4\n5,6", ["a", "b"], [["1", "2"], ["3", "4"], ["5", "6"]]);
  });

  it("skips a byte order mark and empty lines", () => {
    check("\ufeffa,b\n\n1,2\n\n", ["a", "b"], [["1", "2"]]);
  });

  it("keeps ragged rows, and says so", () => {
    const table = check("a,b,c\n1\n1,2,3,4\n", ["a", "b", "c", "column 4"], [["1"], ["1", "2", "3", "4"]]);
    expect(table.remarks).toEqual(["1 row has fewer cells than there are columns."]);
    expect(cellText(table, 0, 3)).toBe("");
  });

  it("reads text after a closing quote, and a quote that never closes", () => {
    check('a,b\n"x"y,2\n"open,3\n4', ["a", "b"], [["xy", "2"], ["open,3\n4"]]);
    check('a\n"', ["a"], [[""]]);
    check('a,b\n1,', ["a", "b"], [["1", ""]]);
  });

  it("names columns without a name, and tells equal names apart", () => {
    check("a,,a,__proto__\n1,2,3,4\n", ["a", "column 2", "a (2)", "__proto__"], [["1", "2", "3", "4"]]);
  });

  it("keeps a million columns within bounds", () => {
    const table = readCsv(bytes(`${"x,".repeat(1_000_000)}x\n1,2\n`), { delimiter: "," });
    expect(table.columns).toHaveLength(4096);
    expect(table.remarks[0]).toBe("Only the first 4,096 columns are shown; 995,905 more are in the file.");
    expect(cellText(table, 0, 1)).toBe("2");
  });

  it("stops at the most rows and cells", () => {
    const table = readCsv(bytes(`a\n${"1\n".repeat(50)}`), { rowsMax: 10 });
    expect(rowCount(table)).toBe(10);
    expect(table.remarks[0]).toContain("at most 10 rows");
    expect(rowCount(readCsv(bytes(`a,b\n${"1,2\n".repeat(50)}`), { cellsMax: 20 }))).toBe(9);
  });

  it("leaves out the line that a head was cut in", () => {
    const table = check("a,b\n1,2\n3,", ["a", "b"], [["1", "2"]], { isCut: true });
    expect(table.remarks[0]).toContain("left out");
  });

  it("keeps every character", () => {
    const long = "日本語 ü 😀".repeat(20);
    check(`a\n${long}\né\n`, ["a"], [[long], ["é"]]);
  });

  it("reads nothing as nothing", () => {
    check("", [], []);
    check("\n\n", [], []);
    check("only", ["only"], []);
  });

  it("finds the delimiter", () => {
    expect(sniffDelimiter(bytes("a\tb\n1\t2\n"))).toBe("\t");
    expect(sniffDelimiter(bytes('a;b\n"1,5,6";2\n'))).toBe(";");
    expect(sniffDelimiter(bytes("a|b|c\n1|2|3\n"))).toBe("|");
    expect(sniffDelimiter(bytes("plain\n"))).toBe(",");
  });
});
