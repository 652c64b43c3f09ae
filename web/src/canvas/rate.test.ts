import { expect, it } from "vitest";
import { Rate } from "./rate";

it("lets a number through in a stretch of time", () => {
  const rate = new Rate(2, 1000);
  expect([0, 1, 2, 999, 1000, 1001, 1002].map((now) => rate.take(now))).toEqual([true, true, false, false, true, true, false]);
});
