import { describe, expect, it } from "vitest";
import { readCsv } from "./csv";
import { arrange, cellTest, columnFacts, numberOf, type Filter, type Sort } from "./order";

const TABLE = readCsv(
  new TextEncoder().encode(
    "name,age,born,active,mixed\nÖzil,10,2020-01-02,true,1\nadam,9,2019-05-05T10:00:00Z,false,x\nZoe,,2021-12-31,true,2\nadam,100,2018-01-01,TRUE,\n",
  ),
);
const TYPES = columnFacts(TABLE).map((facts) => facts.type);

function order(sort?: Sort, filter: Partial<Filter> = {}): number[] {
  return [...arrange(TABLE, TYPES, sort, { anywhere: "", byColumn: new Map(), ...filter })];
}

describe("columns", () => {
  it("have the type that all their cells have", () => {
    expect(TYPES).toEqual(["text", "number", "date", "boolean", "text"]);
  });

  it("know how wide they are", () => {
    expect(columnFacts(TABLE)[2]?.widest).toBe("2019-05-05T10:00:00Z".length);
  });
});

describe("sorting", () => {
  it("sorts numbers as numbers, empty cells last either way", () => {
    expect(order({ column: 1, isDescending: false })).toEqual([1, 0, 3, 2]);
    expect(order({ column: 1, isDescending: true })).toEqual([3, 0, 1, 2]);
  });

  it("sorts text as a language does, and keeps equal rows in place", () => {
    expect(order({ column: 0, isDescending: false })).toEqual([1, 3, 0, 2]);
    expect(order({ column: 0, isDescending: true })).toEqual([2, 0, 1, 3]);
  });

  it("keeps numbers apart that a double cannot", () => {
    const table = readCsv(new TextEncoder().encode("n\n9007199254740993\n9007199254740992\n"));
    expect([...arrange(table, ["number"], { column: 0, isDescending: false }, { anywhere: "", byColumn: new Map() })]).toEqual([1, 0]);
  });
});

describe("filtering", () => {
  it("finds all words anywhere in a row, in whole cells only", () => {
    expect(order(undefined, { anywhere: "ADAM" })).toEqual([1, 3]);
    expect(order(undefined, { anywhere: "adam 100" })).toEqual([3]);
    expect(order(undefined, { anywhere: "özil" })).toEqual([0]);
    expect(order(undefined, { anywhere: "adam9" })).toEqual([]);
  });

  it("filters by column and sorts what is left", () => {
    const byColumn = new Map([[0, "a"], [1, ">5"]]);
    expect(order({ column: 1, isDescending: true }, { byColumn })).toEqual([3, 1]);
  });

  it.each([
    ["5", "text", "a5b", true],
    [">5", "number", "10", true],
    [">5", "number", "", false],
    ["<=5", "number", "5.0", true],
    [">= 1,000", "number", "1000", true],
    ["=5", "number", "5.00", true],
    ["=abc", "text", "ABC", true],
    ["=abc", "text", "abcd", false],
    ["=", "text", "", true],
    ["!", "text", "", false],
    ["!x", "text", "axe", false],
    [">2020", "date", "2020-01-01", true],
    ["<2020", "date", "", false],
    [">", "number", "1", true],
    ["a.*b", "text", "a.*b", true],
    ["a.*b", "text", "axb", false],
  ] as const)("%s on %s: %j is %s", (wanted, type, text, expected) => {
    expect(cellTest(wanted, type)(text)).toBe(expected);
  });

  it("reads numbers as people write them, and nothing else", () => {
    expect([numberOf("1,234.5"), numberOf("-1e3"), numberOf("50%"), numberOf(" 7 ")]).toEqual([1234.5, -1000, 0.5, 7]);
    for (const text of ["", "1,23", "0x10", "1-2", "Infinity", ".", "%", "e5", "12abc"]) expect(numberOf(text)).toBeNaN();
  });
});
