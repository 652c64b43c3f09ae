// What a JSON Schema asks for, as a form needs it. A schema is read one level at a time, when that level is
// shown: so one that refers to itself is no deeper than the values that a person gives. Whatever is not
// understood becomes a field of plain JSON, never an error.

import { isSame, member, type Member, type Node } from "../../json/json";

/** How many references or `allOf` lead to one schema at most. */
const HOPS_MAX = 20;
/** How deep forms are nested; below it there is plain JSON. */
export const FORM_DEPTH_MAX = 12;

export interface Property {
  name: string;
  schema: Node;
  isRequired: boolean;
}

export interface Option {
  label: string;
  value: Node;
  description?: string;
}

export interface Branch {
  label: string;
  schema: Node;
}

interface Common {
  title?: string;
  description?: string;
  default?: Node;
  examples: Node[];
  isNullable: boolean;
  isDeprecated: boolean;
  /** The schema itself, with references followed. */
  schema: Node;
}

export type Shape =
  | (Common & {
      kind: "string";
      format?: string;
      isLong: boolean;
      minLength?: number;
      maxLength?: number;
      pattern?: string;
    })
  | (Common & { kind: "number"; isInteger: boolean; minimum?: string; maximum?: string })
  | (Common & { kind: "boolean" })
  | (Common & { kind: "null" })
  | (Common & { kind: "enum"; options: Option[] })
  | (Common & { kind: "const"; value: Node })
  | (Common & { kind: "object"; properties: Property[]; additional: Node | "any" | null })
  | (Common & {
      kind: "array";
      items: Node;
      prefix: Node[];
      isOpen: boolean;
      minItems: number;
      maxItems?: number;
      isUnique: boolean;
    })
  | (Common & { kind: "choice"; branches: Branch[] })
  | (Common & { kind: "any" });

export const ANY: Node = { kind: "boolean", value: true };

export function shapeOf(asWritten: Node, root: Node): Shape {
  const schema = resolve(asWritten, root);
  const common = commonOf(schema);
  const constant = member(schema, "const");
  if (constant) return { ...common, kind: "const", value: constant };
  const options = optionsOf(schema);
  if (options) return { ...common, kind: "enum", options };
  const branches = branchesOf(schema, root);
  if (branches) return shapeOfBranches(branches, common, root);
  const types = typesOf(schema);
  const solid = types.filter((type) => type !== "null");
  const nullable = { ...common, isNullable: common.isNullable || (types.includes("null") && solid.length > 0) };
  if (solid.length > 1) {
    const each = solid.map((type): Branch => ({ label: type, schema: withType(schema, type) }));
    return { ...nullable, kind: "choice", branches: each };
  }
  return shapeOfType(solid[0] ?? types[0] ?? guessType(schema), schema, nullable);
}

function shapeOfType(type: string | undefined, schema: Node, common: Common): Shape {
  switch (type) {
    case "string":
      return { ...common, kind: "string", ...stringFacts(schema) };
    case "integer":
    case "number":
      return { ...common, kind: "number", isInteger: type === "integer", ...numberFacts(schema) };
    case "boolean":
      return { ...common, kind: "boolean" };
    case "null":
      return { ...common, kind: "null" };
    case "object":
      return { ...common, kind: "object", ...objectFacts(schema) };
    case "array":
      return { ...common, kind: "array", ...arrayFacts(schema) };
    default:
      return { ...common, kind: "any" };
  }
}

function shapeOfBranches(branches: Branch[], common: Common, root: Node): Shape {
  const isNull = (branch: Branch): boolean => typesOf(resolve(branch.schema, root)).join() === "null";
  const solid = branches.filter((branch) => !isNull(branch));
  const isNullable = common.isNullable || solid.length < branches.length;
  const only = solid[0];
  if (only && solid.length === 1) {
    const shape = shapeOf(only.schema, root);
    const texts = {
      title: common.title ?? shape.title,
      description: common.description ?? shape.description,
      default: common.default ?? shape.default,
    };
    return { ...shape, ...definedOnly(texts), isNullable: isNullable || shape.isNullable, schema: common.schema };
  }
  return { ...common, kind: "choice", branches: solid, isNullable };
}

function definedOnly<T extends object>(value: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}

function commonOf(schema: Node): Common {
  const examples = member(schema, "examples");
  return {
    ...definedOnly({
      title: text(schema, "title"),
      description: text(schema, "description"),
      default: member(schema, "default"),
    }),
    examples: examples?.kind === "array" ? examples.items : [],
    isNullable: truth(schema, "nullable"),
    isDeprecated: truth(schema, "deprecated"),
    schema,
  };
}

function stringFacts(schema: Node): {
  format?: string;
  isLong: boolean;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
} {
  const format = text(schema, "format");
  const maxLength = count(schema, "maxLength");
  const media = text(schema, "contentMediaType");
  const isLong =
    format === "multiline" ||
    format === "textarea" ||
    media !== undefined ||
    (maxLength !== undefined && maxLength > 400);
  return {
    isLong,
    ...definedOnly({ format, maxLength, minLength: count(schema, "minLength"), pattern: text(schema, "pattern") }),
  };
}

function numberFacts(schema: Node): { minimum?: string; maximum?: string } {
  return definedOnly({ minimum: digits(schema, "minimum"), maximum: digits(schema, "maximum") });
}

function objectFacts(schema: Node): { properties: Property[]; additional: Node | "any" | null } {
  const properties = member(schema, "properties");
  const wanted = requiredOf(schema);
  const listed = properties?.kind === "object" ? lastOfEach(properties.members) : [];
  const names = new Set(listed.map(([name]) => name));
  const all: Property[] = listed.map(([name, each]) => ({ name, schema: each, isRequired: wanted.has(name) }));
  for (const name of wanted) if (!names.has(name)) all.push({ name, schema: ANY, isRequired: true });
  const additional = member(schema, "additionalProperties");
  const isClosed = additional?.kind === "boolean" && !additional.value;
  return { properties: all, additional: isClosed ? null : additional?.kind === "object" ? additional : "any" };
}

export function requiredOf(schema: Node): Set<string> {
  const required = member(schema, "required");
  const names = required?.kind === "array" ? required.items : [];
  return new Set(names.filter((name) => name.kind === "string").map((name) => name.value));
}

function lastOfEach(members: Member[]): Member[] {
  return [...new Map(members).entries()];
}

function arrayFacts(schema: Node): {
  items: Node;
  prefix: Node[];
  isOpen: boolean;
  minItems: number;
  maxItems?: number;
  isUnique: boolean;
} {
  const items = member(schema, "items");
  const listed = member(schema, "prefixItems") ?? (items?.kind === "array" ? items : undefined);
  const prefix = listed?.kind === "array" ? listed.items : [];
  const rest = items?.kind === "array" ? member(schema, "additionalItems") : items;
  const isOpen = !(rest?.kind === "boolean" && !rest.value);
  const maxItems = count(schema, "maxItems");
  return {
    items: rest ?? ANY,
    prefix,
    isOpen,
    minItems: count(schema, "minItems") ?? 0,
    isUnique: truth(schema, "uniqueItems"),
    ...definedOnly({ maxItems }),
  };
}

/** Values of which one is to be chosen: an `enum`, or alternatives that are all constants. */
function optionsOf(schema: Node): Option[] | null {
  const values = member(schema, "enum");
  if (values?.kind === "array" && values.items.length > 0) {
    const names = member(schema, "enumNames");
    return values.items.map((value, i) => {
      const name = names?.kind === "array" ? names.items[i] : undefined;
      return { value, label: name?.kind === "string" ? name.value : labelOf(value) };
    });
  }
  const alternatives = member(schema, "oneOf") ?? member(schema, "anyOf");
  if (alternatives?.kind !== "array" || alternatives.items.length === 0) return null;
  const options: Option[] = [];
  for (const each of alternatives.items) {
    const value = member(each, "const");
    if (!value) return null;
    const description = text(each, "description");
    options.push({ value, label: text(each, "title") ?? labelOf(value), ...(description ? { description } : {}) });
  }
  return options;
}

export function labelOf(value: Node): string {
  switch (value.kind) {
    case "string":
      return value.value === "" ? "(empty text)" : value.value;
    case "number":
      return value.text;
    case "boolean":
      return value.value ? "true" : "false";
    case "null":
      return "null";
    default:
      return value.kind;
  }
}

/** The alternatives of a schema, each joined with what stands beside them. */
function branchesOf(schema: Node, root: Node): Branch[] | null {
  if (schema.kind !== "object") return null;
  const name = member(schema, "oneOf") ? "oneOf" : "anyOf";
  const alternatives = member(schema, name);
  if (alternatives?.kind !== "array" || alternatives.items.length === 0) return null;
  const beside: Node = {
    kind: "object",
    members: schema.members.filter(
      ([key]) => ![name, "title", "description", "default", "$defs", "definitions"].includes(key),
    ),
  };
  return alternatives.items.map((each, i): Branch => {
    const found = resolve(each, root);
    const joined = join(beside, found);
    return { schema: joined, label: text(found, "title") ?? refName(each) ?? typeLabel(found) ?? `Form ${i + 1}` };
  });
}

function refName(schema: Node): string | undefined {
  return text(schema, "$ref")?.split("/").pop();
}

function typeLabel(schema: Node): string | undefined {
  const types = typesOf(schema);
  const constant = member(schema, "const");
  if (constant) return labelOf(constant);
  if (types[0] === "object") {
    // What tells objects apart is mostly one member with a fixed value.
    const properties = member(schema, "properties");
    for (const [name, each] of properties?.kind === "object" ? properties.members : []) {
      const value = member(each, "const");
      if (value) return `${name}: ${labelOf(value)}`;
    }
  }
  return types.length > 0 ? types.join(" or ") : undefined;
}

function typesOf(schema: Node): string[] {
  const type = member(schema, "type");
  if (type?.kind === "string") return [type.value];
  if (type?.kind === "array") return type.items.filter((each) => each.kind === "string").map((each) => each.value);
  return [];
}

function guessType(schema: Node): string | undefined {
  const has = (...names: string[]): boolean => names.some((name) => member(schema, name) !== undefined);
  if (has("properties", "required", "patternProperties")) return "object";
  if (has("items", "prefixItems", "minItems")) return "array";
  if (has("minLength", "maxLength", "pattern", "format")) return "string";
  if (has("minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum")) return "number";
  return undefined;
}

function withType(schema: Node, type: string): Node {
  if (schema.kind !== "object") return schema;
  const value: Node = { kind: "string", value: type };
  const members = schema.members.filter(([key]) => !["title", "description", "default"].includes(key));
  return {
    kind: "object",
    members: members.map(([key, each]): Member => (key === "type" ? [key, value] : [key, each])),
  };
}

/** Follows references and joins `allOf`; one that leads nowhere is a schema that allows anything. */
export function resolve(schema: Node, root: Node, hops = 0): Node {
  if (schema.kind !== "object" || hops > HOPS_MAX) return schema.kind === "object" ? ANY : schema;
  const reference = text(schema, "$ref");
  if (reference !== undefined) {
    const target = pointed(root, reference);
    if (!target) return ANY;
    const beside: Node = { kind: "object", members: schema.members.filter(([key]) => key !== "$ref") };
    return join(resolve(target, root, hops + 1), resolve(beside, root, hops + 1));
  }
  const parts = member(schema, "allOf");
  if (parts?.kind === "array") {
    const beside: Node = { kind: "object", members: schema.members.filter(([key]) => key !== "allOf") };
    return parts.items.reduce((joined, each) => join(joined, resolve(each, root, hops + 1)), beside);
  }
  return schema;
}

function pointed(root: Node, reference: string): Node | undefined {
  if (!reference.startsWith("#")) return undefined;
  let node: Node | undefined = root;
  for (const step of reference.slice(1).split("/").slice(1)) {
    const name = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    node = node?.kind === "array" ? node.items[Number(name)] : member(node, name);
  }
  return node;
}

/** Two schemas that both hold, as far as a form needs it: properties and required add up, the later one wins. */
function join(a: Node, b: Node): Node {
  if (a.kind !== "object") return b;
  if (b.kind !== "object") return a;
  const members = new Map(a.members);
  for (const [key, value] of b.members) {
    const before = members.get(key);
    if (key === "properties" && before?.kind === "object" && value.kind === "object") {
      members.set(key, { kind: "object", members: [...new Map([...before.members, ...value.members]).entries()] });
    } else if (key === "required" && before?.kind === "array" && value.kind === "array") {
      const added = value.items.filter((each) => !before.items.some((known) => isSame(known, each)));
      members.set(key, { kind: "array", items: [...before.items, ...added] });
    } else {
      members.set(key, value);
    }
  }
  return { kind: "object", members: [...members.entries()] };
}

export function text(schema: Node, name: string): string | undefined {
  const value = member(schema, name);
  return value?.kind === "string" ? value.value : undefined;
}

export function digits(schema: Node, name: string): string | undefined {
  const value = member(schema, name);
  return value?.kind === "number" ? value.text : undefined;
}

export function count(schema: Node, name: string): number | undefined {
  const value = digits(schema, name);
  return value === undefined ? undefined : Number(value);
}

export function truth(schema: Node, name: string): boolean {
  const value = member(schema, name);
  return value?.kind === "boolean" && value.value;
}
