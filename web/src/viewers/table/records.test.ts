import { describe, expect, it } from "vitest";
import { parse } from "../../json/json";
import { cellText, rowCount } from "./packed";
import { isTabular, readJsonLines, readRows, rowsOf } from "./records";

describe("JSON rows", () => {
  it("makes columns of members in the order they come, and keeps digits", () => {
    const rows = rowsOf(parse('[{"a":12345678901234567890,"b":null},{"c":[1,{"x":2}],"a":"t"}]')) ?? [];
    const table = readRows(rows);
    expect(table.columns).toEqual(["a", "b", "c"]);
    expect([0, 1, 2].map((column) => cellText(table, 0, column))).toEqual(["12345678901234567890", "", ""]);
    expect([0, 1, 2].map((column) => cellText(table, 1, column))).toEqual(["t", "", '[1,{"x":2}]']);
  });

  it("takes keys like __proto__ for what they are: names", () => {
    const table = readRows(rowsOf(parse('[{"__proto__":{"polluted":1},"constructor":2}]')) ?? []);
    expect(table.columns).toEqual(["__proto__", "constructor"]);
    expect(cellText(table, 0, 0)).toBe('{"polluted":1}');
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("finds rows inside an object, and none where there are none", () => {
    expect(rowsOf(parse('{"total":2,"rows":[[1,2],[3]]}'))).toHaveLength(2);
    expect(rowsOf(parse('{"rows":[1,2]}'))).toBeUndefined();
    expect(rowsOf(parse("[]"))).toBeUndefined();
    expect(rowsOf(parse('[{"a":1},2]'))).toBeUndefined();
  });

  it("knows a table from a tree", () => {
    expect(isTabular(parse('[{"a":1,"b":2},{"a":3,"b":4}]'))).toBe(true);
    expect(isTabular(parse('[{"a":1}]'))).toBe(false);
    expect(isTabular(parse('[{"a":1,"b":1},{"c":3,"d":1},{"e":4,"f":1}]'))).toBe(false);
    expect(isTabular(parse('[{"a":[1]},{"a":[2]}]'))).toBe(false);
    expect(isTabular(parse('{"a":1}'))).toBe(false);
  });
});

describe("JSON lines", () => {
  it("reads lines, and keeps those that are no JSON", () => {
    const table = readJsonLines('{"a":1}\r\n\n{"a":\n5\n');
    expect(table.columns).toEqual(["a", "not JSON", "value"]);
    expect(rowCount(table)).toBe(3);
    expect(cellText(table, 1, 1)).toBe('{"a":');
    expect(cellText(table, 2, 2)).toBe("5");
    expect(table.remarks).toEqual(["1 line is not JSON."]);
  });

  it("leaves out the line that a head was cut in", () => {
    expect(rowCount(readJsonLines('{"a":1}\n{"a":2', true))).toBe(1);
  });
});
