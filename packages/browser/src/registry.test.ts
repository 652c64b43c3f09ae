import { expect, test } from "vitest";
import { difference, isSameDefinition, type Registration, Registry, type ToolDefinition } from "./registry.js";

const define = (name: string, description = "", inputSchema = {}): ToolDefinition => ({
  name,
  description,
  inputSchema,
});
const entry = (definition: ToolDefinition, handler: string): Registration<string> => ({ definition, handler });

test("a tool is there as long as one of its registrations is", () => {
  const registry = new Registry<string>();
  const [one, two] = [entry(define("t"), "one"), entry(define("t"), "two")];
  expect(registry.add(one)).toBe("head");
  expect(registry.add(two)).toBe("same");
  expect(registry.head("t")?.handler).toBe("one");
  registry.remove(one);
  registry.remove(one);
  expect(registry.head("t")?.handler).toBe("two");
  registry.remove(two);
  expect(registry.definitions().size).toBe(0);
});

test("another definition waits its turn", () => {
  const registry = new Registry<string>();
  const [one, two] = [entry(define("t", "first"), "one"), entry(define("t", "second"), "two")];
  registry.add(one);
  expect(registry.add(two)).toBe("differs");
  expect(registry.definitions().get("t")?.description).toBe("first");
  registry.remove(one);
  expect(registry.definitions().get("t")?.description).toBe("second");
});

test("a name is taken back one registration at a time, the newest first", () => {
  const registry = new Registry<string>();
  registry.add(entry(define("t"), "one"));
  registry.add(entry(define("t"), "two"));
  expect(registry.removeNewest("t")).toBe(true);
  expect(registry.head("t")?.handler).toBe("one");
  expect(registry.removeNewest("t")).toBe(true);
  expect(registry.removeNewest("t")).toBe(false);
});

test("only what differs is said", () => {
  const told = new Map([
    ["a", define("a")],
    ["b", define("b")],
    ["c", define("c")],
  ]);
  const now = new Map([
    ["a", define("a")],
    ["b", define("b", "new")],
    ["d", define("d")],
  ]);
  expect(difference(told, now)).toEqual({ register: [define("b", "new"), define("d")], unregister: ["c"] });
  expect(difference(now, now)).toEqual({ register: [], unregister: [] });
});

test("the order of members is no difference, the order of items is", () => {
  expect(
    isSameDefinition(define("a", "", { x: { p: 1, q: 2 }, y: 1 }), define("a", "", { y: 1, x: { q: 2, p: 1 } })),
  ).toBe(true);
  expect(isSameDefinition(define("a", "", { required: ["x", "y"] }), define("a", "", { required: ["y", "x"] }))).toBe(
    false,
  );
});
