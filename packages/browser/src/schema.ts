// JSON Schema from what pages have: JSON Schema itself, Zod's schemas, and any library that speaks
// Standard JSON Schema. Nothing of those libraries is imported; a schema is asked what it can do.
// One that can validate (Standard Schema) also checks a call's arguments and fills in its defaults.
import type { JsonObject } from "./registry.js";

/** A schema as a page may give it. */
export type SchemaSource = object;

/** Zod's own function, for schemas that have no `toJSONSchema` method (Zod Mini). */
export type ToJsonSchema = (schema: never, options: { io: "input" | "output" }) => unknown;

/** What a handler is given for a schema: what it parses to, or an open object. */
export type ArgumentsOf<S> = S extends {
  readonly "~standard": { readonly types?: { readonly output: infer T } | undefined };
}
  ? T
  : Record<string, unknown>;

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

interface Standard {
  readonly validate?: (value: unknown) => unknown;
  readonly jsonSchema?: Record<"input" | "output", (options: { target: string }) => unknown>;
}

export function toJsonSchema(schema: SchemaSource, io: "input" | "output", convert?: ToJsonSchema): JsonObject {
  const made = convertedSchema(schema, io, convert);
  if (typeof made !== "object" || made === null || Array.isArray(made)) {
    throw new TypeError("a schema must be an object: JSON Schema, or one that has toJSONSchema");
  }
  // A copy as JSON: it must cross to a worker, and must not change afterwards.
  const copy = JSON.parse(JSON.stringify(made)) as Record<string, unknown>;
  if (io === "input") copy["type"] ??= "object";
  return copy;
}

function convertedSchema(schema: SchemaSource, io: "input" | "output", convert?: ToJsonSchema): unknown {
  const standard = standardOf(schema);
  if (standard?.jsonSchema) return standard.jsonSchema[io]({ target: "draft-2020-12" });
  if ("toJSONSchema" in schema && typeof schema.toJSONSchema === "function") return schema.toJSONSchema({ io });
  if (standard === undefined && !("_zod" in schema) && !("_def" in schema)) return schema;
  if (convert) return convert(schema as never, { io });
  throw new TypeError(
    "this schema has no toJSONSchema: give connect() one, as in connect({ toJSONSchema: z.toJSONSchema })",
  );
}

/** The arguments as the schema parses them; throws with what is wrong with them. */
export async function parseArguments(schema: SchemaSource | undefined, value: unknown): Promise<unknown> {
  const validate = schema && standardOf(schema)?.validate;
  if (!validate) return value;
  const outcome = (await validate(value)) as { value?: unknown; issues?: readonly Issue[] };
  if (!outcome.issues) return outcome.value;
  throw new TypeError(`the arguments do not fit: ${outcome.issues.map(sayIssue).join("; ")}`);
}

function sayIssue({ path = [], message }: Issue): string {
  const keys = path.map((step) => String(typeof step === "object" ? step.key : step));
  return keys.length > 0 ? `${keys.join(".")}: ${message}` : message;
}

function standardOf(schema: SchemaSource): Standard | undefined {
  const standard = "~standard" in schema ? schema["~standard"] : undefined;
  return typeof standard === "object" && standard !== null ? standard : undefined;
}
