import { expect, it } from "vitest";
import { blockOf, moved, type Selection } from "./selection";

const SIZE = { rows: 100, columns: 5, page: 20 };
const at = (row: number, column: number): Selection => ({ anchor: { row, column }, focus: { row, column } });
const press = (key: string, more: { shiftKey?: boolean; ctrlKey?: boolean } = {}) => ({
  key, shiftKey: false, ctrlKey: false, metaKey: false, ...more,
});

it("moves with arrows and stays inside", () => {
  expect(moved(at(0, 0), press("ArrowDown"), SIZE)).toEqual(at(1, 0));
  expect(moved(at(0, 0), press("ArrowUp"), SIZE)).toEqual(at(0, 0));
  expect(moved(at(90, 4), press("PageDown"), SIZE)).toEqual(at(99, 4));
  expect(moved(at(3, 2), press("End"), SIZE)).toEqual(at(3, 4));
  expect(moved(at(3, 2), press("End", { ctrlKey: true }), SIZE)).toEqual(at(99, 4));
});

it("marks a block with shift, and all with control and A", () => {
  const block = moved(at(5, 3), press("ArrowLeft", { shiftKey: true }), SIZE);
  expect(block && blockOf(block)).toEqual({ top: 5, bottom: 5, left: 2, right: 3 });
  const all = moved(at(5, 3), press("a", { ctrlKey: true }), SIZE);
  expect(all && blockOf(all)).toEqual({ top: 0, bottom: 99, left: 0, right: 4 });
});

it("leaves other keys and empty tables alone", () => {
  expect(moved(at(0, 0), press("x"), SIZE)).toBeUndefined();
  expect(moved(at(0, 0), press("ArrowDown"), { rows: 0, columns: 0, page: 1 })).toBeUndefined();
});
