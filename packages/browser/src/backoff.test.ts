import { expect, test } from "vitest";
import { backoffMs } from "./backoff.js";

test("each attempt waits longer, up to half a minute, and by chance between half and whole", () => {
  expect([0, 1, 2, 3].map((attempt) => backoffMs(attempt, 0))).toEqual([250, 500, 1000, 2000]);
  expect([0, 1, 2, 3].map((attempt) => backoffMs(attempt, 0.5))).toEqual([375, 750, 1500, 3000]);
  expect(backoffMs(6, 0.999999)).toBe(30_000);
  expect(backoffMs(100_000, 0)).toBe(15_000);
});
