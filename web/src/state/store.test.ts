import { expect, it } from "vitest";
import { createStore, isShallowlyEqual } from "./store";

it("tells its listeners about changes only", () => {
  const store = createStore({ a: 1, b: "x" });
  let told = 0;
  const stop = store.subscribe(() => told++);
  store.set({ a: 1 });
  expect(told).toBe(0);
  store.set((state) => ({ a: state.a + 1 }));
  expect([told, store.get()]).toEqual([1, { a: 2, b: "x" }]);
  stop();
  store.set({ a: 3 });
  expect(told).toBe(1);
});

it("takes equal lists and plain objects for the same, and nothing else", () => {
  expect(isShallowlyEqual([1, "a"], [1, "a"])).toBe(true);
  expect(isShallowlyEqual({ a: 1 }, { a: 1 })).toBe(true);
  expect(isShallowlyEqual({ a: [] }, { a: [] })).toBe(false);
  expect(isShallowlyEqual(new Map(), new Map())).toBe(false);
  expect(isShallowlyEqual([], {})).toBe(false);
});
