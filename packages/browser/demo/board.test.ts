import { expect, test } from "vitest";
import { change, FIRST_BOARD, money, sumOf, toCsv } from "./board.js";

test("an order is changed, and nothing else", () => {
  const board = change(FIRST_BOARD, " Rye ", 30, undefined);
  expect(board.map((order) => order.loaves)).toEqual([30, 40, 65, 9, 48]);
  expect(change(board, "rye", undefined, "sliced")[0]).toMatchObject({ loaves: 30, note: "sliced" });
});

test("what cannot be baked is refused", () => {
  expect(() => change(FIRST_BOARD, "pizza", 1, undefined)).toThrow("there is no pizza on the board");
  for (const loaves of [-1, 1.5, 501])
    expect(() => change(FIRST_BOARD, "rye", loaves, undefined)).toThrow("is no number of loaves");
});

test("the table is CSV that others can read", () => {
  expect(toCsv([{ bread: "rye", loaves: 3, cents: 405, note: 'says "soon", he' }])).toBe(
    'bread,loaves,each,sum,note\r\nrye,3,4.05,12.15,"says ""soon"", he"\r\n',
  );
  expect(money(sumOf(FIRST_BOARD))).toBe("619.90");
});
