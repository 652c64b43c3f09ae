import { expect, test } from "vitest";
import { route } from "./routing.js";

const tab = (id: string, activeAt: number, ...tools: string[]) => ({
  id,
  activeAt,
  has: (tool: string) => tools.includes(tool),
});

const chosen = (tabs: ReturnType<typeof tab>[], tool: string, named?: string) => {
  const found = route(tabs, tool, named);
  return "tab" in found ? found.tab.id : found.failure;
};

test.each([
  ["the named one, whoever is active", [tab("a", 1, "t"), tab("b", 2, "t")], "a", "a"],
  ["no other than the named one", [tab("a", 1, "t"), tab("b", 2)], "b", "the tab b has no tool t"],
  ["nobody where the named one is gone", [tab("a", 1, "t")], "b", "the tab b is not open any more"],
  ["the only one that has it", [tab("a", 9), tab("b", 0, "t")], undefined, "b"],
  ["the one that was active last", [tab("a", 1, "t"), tab("b", 3, "t"), tab("c", 2, "t")], undefined, "b"],
  ["the active one only if it has it", [tab("a", 1, "t"), tab("b", 3), tab("c", 0, "t")], undefined, "a"],
  ["the first where none was active", [tab("a", 0, "t"), tab("b", 0, "t")], undefined, "a"],
  ["nobody", [tab("a", 1)], undefined, "no open tab has the tool t any more"],
])("%s", (_name, tabs, named, expected) => {
  expect(chosen(tabs, "t", named)).toBe(expected);
});
