import { expect, test } from "vitest";
import { z } from "zod";
import * as mini from "zod/mini";
import { parseArguments, toJsonSchema } from "./schema.js";

const city = z.object({ city: z.string(), days: z.number().default(3) });

test("JSON Schema stays, and an input is an object", () => {
  const schema = { type: "array", items: { type: "string" } };
  expect(toJsonSchema(schema, "output")).toEqual(schema);
  expect(toJsonSchema({}, "input")).toEqual({ type: "object" });
  expect(toJsonSchema({ properties: { a: {} } }, "input")).toEqual({ properties: { a: {} }, type: "object" });
});

test("Zod's schemas say what goes in and what comes out", () => {
  expect(toJsonSchema(city, "input")).toMatchObject({ type: "object", required: ["city"] });
  expect(toJsonSchema(city, "output")).toMatchObject({ type: "object", required: ["city", "days"] });
  expect(toJsonSchema(z.array(z.string()), "output")).toMatchObject({ type: "array", items: { type: "string" } });
});

test("a schema without a method is converted by the page's function", () => {
  const schema = { _zod: {}, "~standard": { validate: (value: unknown) => ({ value }) } };
  expect(() => toJsonSchema(schema, "input")).toThrow("give connect() one");
  const convert = (_schema: unknown, { io }: { io: string }) => ({ title: io });
  expect(toJsonSchema(schema, "output", convert)).toEqual({ title: "output" });
});

test("Zod Mini is taken", () => {
  const schema = mini.object({ a: mini.string() });
  expect(toJsonSchema(schema, "input", z.toJSONSchema)).toMatchObject({
    type: "object",
    properties: { a: { type: "string" } },
  });
});

test("Standard JSON Schema comes first", () => {
  const jsonSchema = { input: () => ({ title: "in" }), output: () => ({ title: "out" }) };
  expect(toJsonSchema({ "~standard": { jsonSchema } }, "output")).toEqual({ title: "out" });
});

test("what is no object is no schema", () => {
  expect(() => toJsonSchema([], "input")).toThrow(TypeError);
});

test("arguments are parsed where the schema can", async () => {
  expect(await parseArguments(city, { city: "Bergen" })).toEqual({ city: "Bergen", days: 3 });
  expect(await parseArguments({ type: "object" }, { any: 1 })).toEqual({ any: 1 });
  await expect(parseArguments(city, { days: 1 })).rejects.toThrow(/^the arguments do not fit: city: /);
});
