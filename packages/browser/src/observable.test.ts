import { expect, test } from "vitest";
import { Cell } from "./observable.js";

test("changes are told, the same value is not, and one may leave", () => {
  const cell = new Cell<{ n: number }>({ n: 1 });
  const seen: number[] = [];
  const listener = ({ n }: { n: number }) => void seen.push(n);
  const leave = cell.subscribe(listener);
  cell.subscribe(listener);
  cell.set({ n: 1 });
  cell.set({ n: 2 });
  leave();
  leave();
  cell.set({ n: 3 });
  expect(seen).toEqual([2, 2, 3]);
  expect(cell.get()).toEqual({ n: 3 });
});
