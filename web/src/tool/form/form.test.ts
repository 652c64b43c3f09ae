import { describe, expect, it } from "vitest";
import { parse, print, type Node } from "../../json/json";
import { initialArguments, itemValue } from "./initial";
import { resolve, shapeOf, type Shape } from "./schema";
import { branchOf, compare, fits, pathLabel, validate } from "./validate";

const schema = (value: unknown): Node => parse(JSON.stringify(value));
const shape = (value: unknown): Shape => shapeOf(schema(value), schema(value));
const troubles = (value: string, asked: unknown): string[] =>
  validate(parse(value), schema(asked)).map((one) => `${pathLabel(one.path)} ${one.message}`.trim());

describe("the shape of a schema", () => {
  it.each<[unknown, Shape["kind"]]>([
    [{ type: "string" }, "string"],
    [{ type: "integer" }, "number"],
    [{ type: ["number", "null"] }, "number"],
    [{ type: "boolean" }, "boolean"],
    [{ enum: ["a", 1] }, "enum"],
    [{ const: 7 }, "const"],
    [{ oneOf: [{ const: "a", title: "A" }, { const: "b" }] }, "enum"],
    [{ oneOf: [{ type: "string" }, { type: "object" }] }, "choice"],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, "string"],
    [{ type: ["string", "array"], items: { type: "string" } }, "choice"],
    [{ properties: {} }, "object"],
    [{ items: {} }, "array"],
    [{}, "any"],
    [true, "any"],
    [7, "any"],
    [{ type: "nonsense" }, "any"],
  ])("%j is %s", (asked, kind) => expect(shape(asked).kind).toBe(kind));

  it("knows what may be null", () => {
    expect(shape({ type: ["string", "null"] }).isNullable).toBe(true);
    expect(shape({ anyOf: [{ type: "integer" }, { type: "null" }], title: "Count" })).toMatchObject({
      kind: "number",
      isNullable: true,
      title: "Count",
    });
    expect(shape({ type: "string" }).isNullable).toBe(false);
  });

  it("follows references, also around in a circle", () => {
    const root = schema({
      $defs: {
        tree: { type: "object", properties: { name: { type: "string" }, child: { $ref: "#/$defs/tree" } } },
        loop: { $ref: "#/$defs/loop" },
      },
      properties: {
        root: { $ref: "#/$defs/tree", description: "the root" },
        bad: { $ref: "#/$defs/none" },
        loop: { $ref: "#/$defs/loop" },
      },
    });
    const top = shapeOf(root, root);
    if (top.kind !== "object") throw new Error("expected an object");
    const [first, bad, loop] = top.properties.map((property) => shapeOf(property.schema, root));
    expect(first).toMatchObject({ kind: "object", description: "the root" });
    expect([bad?.kind, loop?.kind]).toEqual(["any", "any"]);
    expect(initialArguments(root)).toEqual({ kind: "object", members: [] });
  });

  it("joins allOf, and what stands beside alternatives", () => {
    const both = shape({
      allOf: [
        { properties: { a: {} }, required: ["a"] },
        { properties: { b: {} }, required: ["b"] },
      ],
      type: "object",
    });
    expect(both.kind === "object" && both.properties.map((property) => [property.name, property.isRequired])).toEqual([
      ["a", true],
      ["b", true],
    ]);
    const beside = shape({ type: "object", properties: { id: {} }, oneOf: [{ required: ["x"] }, { required: ["y"] }] });
    expect(
      beside.kind === "choice" && beside.branches.map((branch) => shapeOf(branch.schema, branch.schema).kind),
    ).toEqual(["object", "object"]);
  });

  it("names alternatives by their title, reference, telling member or type", () => {
    const asked = {
      $defs: { Dog: { type: "object" } },
      oneOf: [
        { title: "Cat", type: "object" },
        { $ref: "#/$defs/Dog" },
        { type: "object", properties: { kind: { const: "fish" } } },
        { type: "string" },
      ],
    };
    const found = shape(asked);
    expect(found.kind === "choice" && found.branches.map((branch) => branch.label)).toEqual([
      "Cat",
      "Dog",
      "kind: fish",
      "string",
    ]);
  });

  it("lists a required name that has no schema", () => {
    const found = shape({ type: "object", required: ["x"] });
    expect(found.kind === "object" && found.properties[0]).toMatchObject({ name: "x", isRequired: true });
  });

  it("resolves only what is an object", () => {
    expect(resolve(schema(true), schema({}))).toEqual({ kind: "boolean", value: true });
  });
});

describe("what a form starts with", () => {
  it("has defaults and the frame of what is required", () => {
    const asked = parse(`{"type":"object","required":["id","kind","who","tags"],"properties":{
      "id":{"type":"integer","default":12345678901234567890},"kind":{"const":"x"},"note":{"type":"string"},"lang":{"enum":["en","de"],"default":"de"},
      "who":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"role":{"default":"guest"}}},
      "tags":{"type":"array","minItems":1,"items":{"type":"string"}}}}`);
    expect(print(initialArguments(asked))).toBe(
      '{"id":12345678901234567890,"kind":"x","lang":"de","who":{"role":"guest"},"tags":[""]}',
    );
  });

  it("ends where a schema requires itself", () => {
    const asked = schema({
      $defs: { a: { type: "object", required: ["a"], properties: { a: { $ref: "#/$defs/a" } } } },
      $ref: "#/$defs/a",
    });
    expect(print(initialArguments(asked)).length).toBeLessThan(200);
  });

  it("has a value for whatever is added", () => {
    expect(itemValue(schema({ type: "number", minimum: 3 }), schema({}))).toEqual({ kind: "number", text: "3" });
    expect(itemValue(schema({ enum: ["a", "b"] }), schema({}))).toEqual({ kind: "string", value: "a" });
    expect(itemValue(schema({ type: "boolean" }), schema({}))).toEqual({ kind: "boolean", value: false });
  });
});

describe("what is wrong with a value", () => {
  const person = {
    type: "object",
    required: ["name"],
    additionalProperties: false,
    properties: {
      name: { type: "string", minLength: 1 },
      age: { type: "integer", minimum: 0, maximum: 150 },
      mail: { type: "string", format: "email" },
      born: { type: "string", format: "date" },
      tags: { type: "array", items: { enum: ["a", "b"] }, maxItems: 2, uniqueItems: true },
    },
  };

  it("is said with its place", () => {
    expect(troubles('{"name":"x","age":3,"mail":"a@b","born":"2024-02-29","tags":["a"]}', person)).toEqual([]);
    expect(troubles('{"age":-1,"extra":1}', person)).toEqual([
      "name is required",
      "age must be at least 0",
      "extra is not in the schema",
    ]);
    expect(troubles('{"name":"","age":1.5,"mail":"x","born":"2023-02-29","tags":["c","b","b"]}', person)).toEqual([
      "name must not be empty",
      "age must be a whole number",
      "mail must be an e-mail address",
      "born must be a date, as 2026-05-31",
      "tags[1] must be one of the choices",
      "tags must have at most 2 items",
      "tags must not have the same item twice",
    ]);
    expect(troubles("7", person)).toEqual(["must be an object"]);
  });

  it("compares whole numbers exactly", () => {
    expect(compare("12345678901234567890", "12345678901234567891")).toBe(-1);
    expect(
      validate(parse("12345678901234567891"), parse('{"type":"integer","maximum":12345678901234567890}')),
    ).toHaveLength(1);
    expect(validate(parse("12345678901234567890"), parse('{"type":"integer","maximum":12345678901234567890}'))).toEqual(
      [],
    );
    expect(troubles("1e400", { type: "integer" })).toEqual([]);
    expect(troubles("0.3", { type: "number", multipleOf: 0.1 })).toEqual([]);
  });

  it("is asked of the alternative that was meant", () => {
    const asked = schema({
      oneOf: [
        { type: "object", required: ["kind", "x"], properties: { kind: { const: "a" }, x: { type: "integer" } } },
        {
          type: "object",
          required: ["kind", "y"],
          properties: { kind: { const: "b" }, y: { type: "object", properties: { z: { type: "integer" } } } },
        },
      ],
    });
    expect(validate(parse('{"kind":"b","y":{"z":"no"}}'), asked)).toEqual([
      { path: ["y", "z"], message: "must be a whole number" },
    ]);
    const found = shapeOf(asked, asked);
    if (found.kind !== "choice") throw new Error("expected a choice");
    expect(branchOf(parse('{"kind":"b","y":{"z":"no"}}'), found, asked)).toBe(1);
    expect(branchOf(parse('{"kind":"a","x":1}'), found, asked)).toBe(0);
    expect(branchOf(undefined, found, asked)).toBe(0);
  });

  it("leaves out patterns that could take forever", () => {
    expect(fits("abc", "^[a-c]+$")).toBe(true);
    expect(fits("abd", "^[a-c]+$")).toBe(false);
    expect(fits(`${"a".repeat(40)}!`, "^(a+)+$")).toBeNull();
    expect(fits("a", "(")).toBeNull();
    expect(fits("x", "\\(?[0-9]{3}\\)?")).toBe(false);
  });

  it("ends where alternatives multiply", () => {
    const nest = { type: "object", properties: { n: { $ref: "#/$defs/n" } }, required: ["n"] };
    const tree = schema({ $defs: { n: { oneOf: Array.from({ length: 10 }, () => nest) } }, $ref: "#/$defs/n" });
    validate(parse('{"n":'.repeat(12) + "1" + "}".repeat(12)), tree);
  });

  it("ends in a deep value", () => {
    const tree = schema({
      $defs: { t: { type: "object", properties: { t: { $ref: "#/$defs/t" } } } },
      $ref: "#/$defs/t",
    });
    expect(validate(parse('{"t":'.repeat(900) + "1" + "}".repeat(900)), tree)).toEqual([]);
  });
});
