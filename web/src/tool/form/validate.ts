// Says what is wrong with a value before it is sent, in words for a person. It covers what forms can express;
// the server has the last word, and a person may send anything all the same.

import { isSame, member, type Node } from "../../json/json";
import { count, digits, FORM_DEPTH_MAX, labelOf, shapeOf, truth, type Shape } from "./schema";

export interface Trouble {
  /** Names and numbers from the outermost value inwards. */
  path: (string | number)[];
  message: string;
}

/** Said of a name that a closed schema does not have; at once, because nobody typed it into a field. */
export const FOREIGN = "is not in the schema";
const TROUBLES_MAX = 100;
const PATTERN_TEXT_MAX = 500;
/** Alternatives inside alternatives multiply: after so many looks the rest is left to the server. */
const LOOKS_MAX = 20_000;

interface Budget {
  looks: number;
}

export function validate(
  value: Node | undefined,
  schema: Node,
  root: Node = schema,
  budget: Budget = { looks: LOOKS_MAX },
): Trouble[] {
  const troubles: Trouble[] = [];
  check(value, schema, root, [], troubles, budget);
  return troubles;
}

function check(
  value: Node | undefined,
  schema: Node,
  root: Node,
  path: Trouble["path"],
  out: Trouble[],
  budget: Budget,
): void {
  budget.looks -= 1;
  if (out.length >= TROUBLES_MAX || value === undefined || path.length > FORM_DEPTH_MAX * 4 || budget.looks < 0) return;
  const shape = shapeOf(schema, root);
  const say = (message: string): void => void out.push({ path, message });
  if (value.kind === "null" && shape.isNullable) return;
  switch (shape.kind) {
    case "any":
      return;
    case "const":
      if (!isSame(value, shape.value)) say(`must be ${labelOf(shape.value)}`);
      return;
    case "enum":
      if (!shape.options.some((option) => isSame(option.value, value))) say("must be one of the choices");
      return;
    case "choice": {
      const tried = shape.branches.map((branch) => validate(value, branch.schema, root, budget));
      if (tried.some((troubles) => troubles.length === 0)) return;
      const best = tried.sort((a, b) => deepest(b) - deepest(a) || a.length - b.length)[0] ?? [];
      for (const trouble of best) out.push({ path: [...path, ...trouble.path], message: trouble.message });
      return;
    }
    case "object":
      checkObject(value, shape, root, path, out, budget);
      return;
    case "array":
      checkArray(value, shape, root, path, out, budget);
      return;
    case "string":
      if (value.kind !== "string") say("must be text");
      else for (const message of stringTroubles(value.value, shape)) say(message);
      return;
    case "number":
      if (value.kind !== "number") say(shape.isInteger ? "must be a whole number" : "must be a number");
      else for (const message of numberTroubles(value.text, shape)) say(message);
      return;
    case "boolean":
      if (value.kind !== "boolean") say("must be true or false");
      return;
    case "null":
      if (value.kind !== "null") say("must be null");
  }
}

/** How far a value got before it was wrong: the branch that it was meant for is the one it got furthest in. */
function deepest(troubles: Trouble[]): number {
  return Math.max(0, ...troubles.map((trouble) => trouble.path.length));
}

function checkObject(
  value: Node,
  shape: Shape & { kind: "object" },
  root: Node,
  path: Trouble["path"],
  out: Trouble[],
  budget: Budget,
): void {
  if (value.kind !== "object") {
    out.push({ path, message: "must be an object" });
    return;
  }
  const names = new Set(shape.properties.map((property) => property.name));
  for (const property of shape.properties) {
    const given = member(value, property.name);
    if (!given && property.isRequired) out.push({ path: [...path, property.name], message: "is required" });
    check(given, property.schema, root, [...path, property.name], out, budget);
  }
  for (const [name, given] of value.members) {
    if (names.has(name) || matchesPattern(name, shape.schema)) continue;
    if (shape.additional === null) out.push({ path: [...path, name], message: FOREIGN });
    else if (shape.additional !== "any") check(given, shape.additional, root, [...path, name], out, budget);
  }
  const least = count(shape.schema, "minProperties");
  if (least !== undefined && value.members.length < least)
    out.push({ path, message: `must have at least ${least} entries` });
  const most = count(shape.schema, "maxProperties");
  if (most !== undefined && value.members.length > most)
    out.push({ path, message: `must have at most ${most} entries` });
}

function matchesPattern(name: string, schema: Node): boolean {
  const patterns = member(schema, "patternProperties");
  return patterns?.kind === "object" && patterns.members.some(([pattern]) => fits(name, pattern) !== false);
}

function checkArray(
  value: Node,
  shape: Shape & { kind: "array" },
  root: Node,
  path: Trouble["path"],
  out: Trouble[],
  budget: Budget,
): void {
  if (value.kind !== "array") {
    out.push({ path, message: "must be a list" });
    return;
  }
  value.items.forEach((item, i) => check(item, shape.prefix[i] ?? shape.items, root, [...path, i], out, budget));
  if (value.items.length < shape.minItems) out.push({ path, message: `must have at least ${shape.minItems} items` });
  if (shape.maxItems !== undefined && value.items.length > shape.maxItems)
    out.push({ path, message: `must have at most ${shape.maxItems} items` });
  if (!shape.isOpen && value.items.length > shape.prefix.length)
    out.push({ path, message: `must have at most ${shape.prefix.length} items` });
  if (shape.isUnique && value.items.length <= 1000 && hasTwins(value.items))
    out.push({ path, message: "must not have the same item twice" });
}

function hasTwins(items: Node[]): boolean {
  return items.some((item, i) => items.slice(i + 1).some((other) => isSame(item, other)));
}

function stringTroubles(value: string, shape: Shape & { kind: "string" }): string[] {
  const out: string[] = [];
  const length = [...value].length;
  if (shape.minLength !== undefined && length < shape.minLength) {
    out.push(shape.minLength === 1 ? "must not be empty" : `must have at least ${shape.minLength} characters`);
  }
  if (shape.maxLength !== undefined && length > shape.maxLength)
    out.push(`must have at most ${shape.maxLength} characters`);
  if (shape.pattern !== undefined && fits(value, shape.pattern) === false) out.push(`must match ${shape.pattern}`);
  const format = value === "" ? undefined : formatTrouble(value, shape.format);
  if (format) out.push(format);
  return out;
}

/** Whether a text matches; `null` where a pattern might take too long, or is none. */
export function fits(value: string, pattern: string): boolean | null {
  if (value.length > PATTERN_TEXT_MAX || mayExplode(pattern)) return null;
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return null;
  }
}

/** A repeated group, or a reference back, can make matching take exponential time; a server could use that. */
function mayExplode(pattern: string): boolean {
  const plain = pattern.replace(/\\[^0-9k]/g, "_").replace(/\[[^\]]*\]/g, "_");
  return /\)[*+{]/.test(plain) || /\\[0-9k]/.test(plain) || (plain.match(/[*+{]/g)?.length ?? 0) > 6;
}

function formatTrouble(value: string, format: string | undefined): string | null {
  switch (format) {
    case "date":
      return isDate(value) ? null : "must be a date, as 2026-05-31";
    case "date-time":
      return isDateTime(value) ? null : "must be a time with its zone, as 2026-05-31T12:00:00Z";
    case "email":
      return /^[^\s@]+@[^\s@]+$/.test(value) ? null : "must be an e-mail address";
    case "uri":
    case "url":
      return null;
    default:
      return null;
  }
}

function isDate(value: string): boolean {
  const found = /^(\d{4})-(\d\d)-(\d\d)$/.exec(value);
  if (!found) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

function isDateTime(value: string): boolean {
  const found = /^(\d{4}-\d\d-\d\d)[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)$/.exec(value);
  return found?.[1] !== undefined && isDate(found[1]);
}

function numberTroubles(value: string, shape: Shape & { kind: "number" }): string[] {
  const out: string[] = [];
  if (shape.isInteger && !isWhole(value)) out.push("must be a whole number");
  const { schema } = shape;
  const minimum = digits(schema, "minimum");
  const maximum = digits(schema, "maximum");
  const above = digits(schema, "exclusiveMinimum") ?? (truth(schema, "exclusiveMinimum") ? minimum : undefined);
  const below = digits(schema, "exclusiveMaximum") ?? (truth(schema, "exclusiveMaximum") ? maximum : undefined);
  if (minimum !== undefined && compare(value, minimum) < 0) out.push(`must be at least ${minimum}`);
  if (maximum !== undefined && compare(value, maximum) > 0) out.push(`must be at most ${maximum}`);
  if (above !== undefined && compare(value, above) <= 0) out.push(`must be more than ${above}`);
  if (below !== undefined && compare(value, below) >= 0) out.push(`must be less than ${below}`);
  const step = digits(schema, "multipleOf");
  if (step !== undefined && !isMultiple(value, step)) out.push(`must be a multiple of ${step}`);
  return out;
}

export const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const PLAIN_INTEGER = /^-?[0-9]{1,1000}$/;

function isWhole(value: string): boolean {
  if (PLAIN_INTEGER.test(value)) return true;
  const number = Number(value);
  // Beyond what a double tells apart, everything with an exponent that large is whole.
  return Number.isFinite(number) ? Number.isInteger(number) : true;
}

/** Exact for whole numbers of any length, as doubles for the rest. */
export function compare(a: string, b: string): number {
  if (PLAIN_INTEGER.test(a) && PLAIN_INTEGER.test(b)) {
    const [left, right] = [BigInt(a), BigInt(b)];
    return left < right ? -1 : left > right ? 1 : 0;
  }
  return Number(a) - Number(b) || 0;
}

function isMultiple(value: string, step: string): boolean {
  if (PLAIN_INTEGER.test(value) && PLAIN_INTEGER.test(step))
    return BigInt(step) === 0n || BigInt(value) % BigInt(step) === 0n;
  const times = Number(value) / Number(step);
  return !Number.isFinite(times) || Math.abs(times - Math.round(times)) < 1e-9;
}

/** Which alternative a value belongs to: the first that it fits, else the one it comes nearest to. */
export function branchOf(value: Node | undefined, shape: Shape & { kind: "choice" }, root: Node): number {
  if (value === undefined) return 0;
  const budget = { looks: LOOKS_MAX };
  const tried = shape.branches.map((branch, i) => ({ i, troubles: validate(value, branch.schema, root, budget) }));
  tried.sort(
    (a, b) =>
      Math.min(a.troubles.length, 1) - Math.min(b.troubles.length, 1) ||
      deepest(b.troubles) - deepest(a.troubles) ||
      a.troubles.length - b.troubles.length ||
      a.i - b.i,
  );
  return tried[0]?.i ?? 0;
}

/** The label of a path, for lists of what is wrong. */
export function pathLabel(path: Trouble["path"]): string {
  return path.map((step, i) => (typeof step === "number" ? `[${step + 1}]` : i === 0 ? step : `.${step}`)).join("");
}
