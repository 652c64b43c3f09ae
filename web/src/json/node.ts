// JSON that loses nothing: numbers keep their digits, objects their order and their repeated keys.
// It costs about three times the memory of plain values, which is why the viewers cap what they parse.

export type Node =
  | { kind: "null" }
  | { kind: "boolean"; value: boolean }
  | { kind: "number"; text: string }
  | { kind: "string"; value: string }
  | { kind: "array"; items: Node[] }
  | { kind: "object"; members: Member[] };

export type Member = [string, Node];
export type ObjectNode = Extract<Node, { kind: "object" }>;
export type ArrayNode = Extract<Node, { kind: "array" }>;

/** How deep arrays and objects may be nested; beyond it reading and printing would need a larger stack. */
export const DEPTH_MAX = 1000;

export class JsonError extends Error {
  override name = "JsonError";
  constructor(
    message: string,
    readonly line: number,
    readonly column: number,
  ) {
    super(message);
  }
}

/** The member of this name; the last one where it is there twice, as JSON.parse has it. */
export function member(node: Node | undefined, name: string): Node | undefined {
  if (node?.kind !== "object") return undefined;
  for (let i = node.members.length - 1; i >= 0; i--) {
    const found = node.members[i];
    if (found && found[0] === name) return found[1];
  }
  return undefined;
}

/** The object with this member set in place, appended, or (with `undefined`) taken out. */
export function withMember(node: ObjectNode, name: string, value: Node | undefined): ObjectNode {
  if (value === undefined) return { kind: "object", members: node.members.filter(([key]) => key !== name) };
  let at = -1;
  node.members.forEach(([key], i) => {
    if (key === name) at = i;
  });
  if (at < 0) return { kind: "object", members: [...node.members, [name, value]] };
  return { kind: "object", members: node.members.map((pair, i): Member => (i === at ? [name, value] : pair)) };
}

/** A plain value; numbers beyond what a double holds become the nearest one. */
export function toValue(node: Node): unknown {
  switch (node.kind) {
    case "null":
      return null;
    case "boolean":
    case "string":
      return node.value;
    case "number":
      return Number(node.text);
    case "array":
      return node.items.map(toValue);
    case "object": {
      const value: Record<string, unknown> = {};
      for (const [key, item] of node.members) {
        // A plain assignment of `__proto__` would set the prototype instead of a member.
        Object.defineProperty(value, key, {
          value: toValue(item),
          enumerable: true,
          writable: true,
          configurable: true,
        });
      }
      return value;
    }
  }
}

/** What JSON.stringify would write of a value, as a node. */
export function fromValue(value: unknown, depth = 0): Node {
  if (depth > DEPTH_MAX) throw new JsonError(`nested deeper than ${DEPTH_MAX}`, 0, 0);
  if (value === null || value === undefined) return { kind: "null" };
  switch (typeof value) {
    case "boolean":
      return { kind: "boolean", value };
    case "string":
      return { kind: "string", value };
    case "bigint":
      return { kind: "number", text: String(value) };
    case "number":
      return Number.isFinite(value) ? { kind: "number", text: JSON.stringify(value) } : { kind: "null" };
    case "object":
      if (Array.isArray(value)) return { kind: "array", items: value.map((item) => fromValue(item, depth + 1)) };
      return {
        kind: "object",
        members: Object.entries(value)
          .filter(([, item]) => item !== undefined && typeof item !== "function")
          .map(([key, item]): Member => [key, fromValue(item, depth + 1)]),
      };
    default:
      return { kind: "null" };
  }
}

/** Whether two nodes are the same JSON: the order of members does not count, nor how a number is written. */
export function isSame(a: Node, b: Node): boolean {
  if (a.kind !== b.kind) return false;
  if (a.kind === "number" && b.kind === "number") return a.text === b.text || isSameNumber(a.text, b.text);
  if (a.kind === "array" && b.kind === "array") {
    return (
      a.items.length === b.items.length && a.items.every((item, i) => isSame(item, b.items[i] ?? { kind: "null" }))
    );
  }
  if (a.kind === "object" && b.kind === "object") {
    if (a.members.length !== b.members.length) return false;
    return a.members.every(([key, item]) => {
      const other = member(b, key);
      return other !== undefined && isSame(item, other);
    });
  }
  return (a as { value?: unknown }).value === (b as { value?: unknown }).value;
}

/** Doubles that agree are only believed where both texts fit into one exactly. */
function isSameNumber(a: string, b: string): boolean {
  const fits = (text: string): boolean => text.replace(/[eE].*$/, "").replace(/[^0-9]/g, "").length <= 15;
  return fits(a) && fits(b) && Number.isFinite(Number(a)) && Number(a) === Number(b);
}
