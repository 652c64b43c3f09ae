import { expect, it } from "vitest";
import { placeOf } from "./place";

const screen = { width: 800, height: 600 };
const size = { width: 200, height: 100 };

it("stands below, above where there is no room, and always on the screen", () => {
  expect(placeOf(size, { left: 50, top: 10, right: 80, bottom: 30 }, screen)).toEqual({ left: 50, top: 34 });
  expect(placeOf(size, { left: 50, top: 560, right: 80, bottom: 580 }, screen)).toEqual({ left: 50, top: 456 });
  expect(placeOf(size, { left: 750, top: 10, right: 780, bottom: 30 }, screen)).toEqual({ left: 580, top: 34 });
  expect(placeOf({ width: 900, height: 900 }, { left: 0, top: 0, right: 0, bottom: 0 }, screen)).toEqual({
    left: 8,
    top: 8,
  });
});
