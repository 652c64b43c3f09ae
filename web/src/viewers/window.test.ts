import { describe, expect, it } from "vitest";
import { HEIGHT_MAX, scrollTopFor, shownColumns, shownRows } from "./window";

describe("shown rows", () => {
  it("shows what is in sight and a little more", () => {
    expect(shownRows(1000, 20, { scrollTop: 400, height: 100 }, 2)).toEqual({ first: 18, end: 27, top: 360, height: 20_000 });
  });

  it("stays inside at both ends, and when there is nothing", () => {
    expect(shownRows(3, 20, { scrollTop: 0, height: 100 }, 5)).toMatchObject({ first: 0, end: 3, top: 0 });
    expect(shownRows(0, 20, { scrollTop: 50, height: 100 }, 5)).toMatchObject({ first: 0, end: 0, height: 0 });
    expect(shownRows(100, 20, { scrollTop: 99_999, height: 100 }, 0)).toMatchObject({ first: 95, end: 100 });
  });

  it("reaches the last row of a list that is too high for a browser", () => {
    const shown = shownRows(5_000_000, 28, { scrollTop: HEIGHT_MAX - 500, height: 500 }, 0);
    expect(shown.end).toBe(5_000_000);
    expect(shown.height).toBe(HEIGHT_MAX);
    expect(shown.top).toBeGreaterThan(HEIGHT_MAX - 600);
  });

  it("scrolls as far as needed", () => {
    const viewport = { scrollTop: 400, height: 100 };
    expect(scrollTopFor(22, 1000, 20, viewport)).toBe(400);
    expect(scrollTopFor(10, 1000, 20, viewport)).toBe(200);
    expect(scrollTopFor(30, 1000, 20, viewport)).toBe(520);
    const far = scrollTopFor(4_999_999, 5_000_000, 28, { scrollTop: 0, height: 500 });
    expect(shownRows(5_000_000, 28, { scrollTop: far, height: 500 }, 0).end).toBe(5_000_000);
  });
});

describe("shown columns", () => {
  it("shows those in sight", () => {
    const edges = [0, 100, 200, 300, 400];
    expect(shownColumns(edges, 0, 150)).toEqual({ first: 0, end: 2 });
    expect(shownColumns(edges, 150, 100)).toEqual({ first: 1, end: 3 });
    expect(shownColumns(edges, 390, 500)).toEqual({ first: 3, end: 4 });
    expect(shownColumns([0], 0, 100)).toEqual({ first: 0, end: 0 });
  });
});
