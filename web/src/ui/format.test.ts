import { expect, it } from "vitest";
import { ago, bytes, counted, duration } from "./format";

it("writes sizes, numbers and times for people", () => {
  expect([0, 1, 1023, 1024, 15_000, 5 * 1024 ** 3].map(bytes)).toEqual([
    "0 bytes",
    "1 byte",
    "1023 bytes",
    "1.0 KiB",
    "15 KiB",
    "5.0 GiB",
  ]);
  expect([0.2, 12, 1500, 61_000, 3_700_000].map(duration)).toEqual([
    "under 1 ms",
    "12 ms",
    "1.5 s",
    "1 min 1 s",
    "1 h 1 min",
  ]);
  expect([counted(1, "file"), counted(1200, "file")]).toEqual(["1 file", "1,200 files"]);
  expect(ago(1000, 2000)).toBe("just now");
  expect(ago(0, 86_400_000 * 2)).toBe("2 days ago");
  expect(ago("nonsense")).toBe("");
});
