import { describe, expect, it } from "vitest";
import { DEPTH_MAX, fromValue, isSame, JsonError, member, parse, print, toValue, withMember, type Node } from "./json";

const same = (text: string): void => expect(print(parse(text))).toBe(text);

describe("reading and printing", () => {
  it("keeps digits, order and repeated keys", () => {
    same("12345678901234567890");
    same("1e400");
    same("-0.10");
    same('{"b":1,"a":2,"b":3}');
    same('{"10":1,"2":2}');
    same('[[],{},[{"x":[1,2,[3]]}],"",null,true,false]');
  });

  it("keeps strings, lone surrogates too", () => {
    same('"line\\nquote\\"tab\\t\\\\"');
    same('"\\ud800"');
    expect(parse('"\\u00e9\\/\\b"')).toEqual({ kind: "string", value: "é/\b" });
    expect(parse("\ufeff1")).toEqual({ kind: "number", text: "1" });
  });

  it("indents", () => {
    expect(print(parse('{"a":[1,{}],"b":[]}'), 2)).toBe('{\n  "a": [\n    1,\n    {}\n  ],\n  "b": []\n}');
  });

  it("reads a deep text without overflowing, and refuses one beyond the limit", () => {
    const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
    same(nested(DEPTH_MAX));
    toValue(parse(nested(DEPTH_MAX)));
    expect(() => parse(nested(DEPTH_MAX + 1))).toThrow(JsonError);
    expect(() => parse("[".repeat(1_000_000))).toThrow(/nested deeper/);
    expect(() => parse('{"a":'.repeat(1_000_000))).toThrow(/nested deeper/);
  });

  it.each([
    ["", 1, 1],
    ["[1,]", 1, 4],
    ['{"a":1,}', 1, 8],
    ['{\n  "a" 1}', 2, 7],
    ["01", 1, 2],
    ["[1 2]", 1, 4],
    ['"a', 1, 3],
    ['"\u0001"', 1, 2],
    ["nul", 1, 1],
    ["1 2", 1, 3],
    ["]", 1, 1],
    ['{"a":}', 1, 6],
    ["+1", 1, 1],
    ["NaN", 1, 1],
  ])("says where %j is wrong", (text, line, column) => {
    let caught: unknown;
    try {
      parse(text);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(JsonError);
    expect(caught).toMatchObject({ line, column });
  });

  it("agrees with JSON.parse on what is JSON", () => {
    for (const text of ['{"a":[1,2,{"b":null}],"c":"d"}', "[true,false]", "-1.5e-3", '"\\u2028"']) {
      expect(toValue(parse(text))).toEqual(JSON.parse(text));
    }
  });
});

describe("values", () => {
  it("does not let a member touch the prototype", () => {
    const value = toValue(parse('{"__proto__":{"polluted":true},"constructor":1}')) as Record<string, unknown>;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(value.polluted).toBeUndefined();
    expect(Object.keys(value)).toEqual(["__proto__", "constructor"]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("comes from values as JSON.stringify would write them", () => {
    const value = { a: [1, "x", null, undefined], b: undefined, c: 1e21, d: Number.NaN };
    expect(print(fromValue(value))).toBe(JSON.stringify(value));
    expect(print(fromValue(12345678901234567890n))).toBe("12345678901234567890");
  });

  it("sets, adds and removes members in place", () => {
    const node = parse('{"a":1,"b":2}') as Extract<Node, { kind: "object" }>;
    expect(print(withMember(node, "a", { kind: "null" }))).toBe('{"a":null,"b":2}');
    expect(print(withMember(node, "c", { kind: "null" }))).toBe('{"a":1,"b":2,"c":null}');
    expect(print(withMember(node, "a", undefined))).toBe('{"b":2}');
    expect(member(parse('{"a":1,"a":2}'), "a")).toEqual({ kind: "number", text: "2" });
  });

  it("compares by meaning, without trusting doubles", () => {
    expect(isSame(parse('{"a":1,"b":[2]}'), parse('{"b":[2.0],"a":1}'))).toBe(true);
    expect(isSame(parse("12345678901234567890"), parse("12345678901234567891"))).toBe(false);
    expect(isSame(parse("1e400"), parse("1e500"))).toBe(false);
  });
});
