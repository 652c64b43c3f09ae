import { describe, expect, it } from "vitest";
import { backward, isStart, nextIn, onward, saidOf, wayTo } from "./pager";

describe("the way through pages", () => {
  it("leads back over the pages that led on, however long they were", () => {
    const second = onward(wayTo(1), { from: 38, at: 0 });
    const third = onward(second, { from: 38, at: 4000 });
    expect(third.place).toEqual({ from: 38, at: 4000 });
    expect(backward(third, 100)).toEqual(second);
    expect(backward(second, 100)).toEqual(wayTo(1));
    expect([wayTo(1), second, third].map(isStart)).toEqual([true, false, false]);
    expect(isStart({ place: { from: 1, at: 5 }, before: [] })).toBe(false);
  });

  it("leads back by a page from a number that was asked for", () => {
    expect(backward(wayTo(4950), 100)).toEqual(wayTo(4850));
    expect(backward(wayTo(7), 100)).toEqual(wayTo(1));
  });

  it("ends with a list", () => {
    expect(nextIn(200, 1, 100)).toEqual({ from: 101, at: 0 });
    expect(nextIn(200, 101, 100)).toBeUndefined();
    expect(nextIn(201, 101, 100)).toEqual({ from: 201, at: 0 });
    expect(nextIn(0, 1, 100)).toBeUndefined();
  });

  it("is said", () => {
    const place = { from: 1001, at: 0 };
    const next = { from: 1038, at: 0 };
    expect(saidOf("Rows", place, { count: 37, next, isPart: false })).toBe("Rows 1,001 to 1,037");
    expect(saidOf("Rows", place, { count: 37, next: undefined, isPart: false })).toBe("Rows 1,001 to 1,037, the last");
    expect(saidOf("Rows", place, { count: 0, next: undefined, isPart: false })).toBe("No rows from 1,001 on");
    expect(saidOf("Lines", place, { count: 1, next, isPart: true })).toBe("Line 1,001, in part");
  });
});
