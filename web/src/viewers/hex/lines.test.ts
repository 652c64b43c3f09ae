import { expect, it } from "vitest";
import { hexLine, hexOffset, readOffset } from "./lines";

it("writes a line, whole or not", () => {
  const bytes = new Uint8Array([0x00, 0x41, 0x7f, 0xff, ...new TextEncoder().encode("hello world, more")]);
  expect(hexLine(bytes, 0)).toEqual({
    hex: ["00", "41", "7f", "ff", "68", "65", "6c", "6c", "6f", "20", "77", "6f", "72", "6c", "64", "2c"],
    ascii: "·A··hello world,",
  });
  expect(hexLine(bytes, 16)).toEqual({ hex: ["20", "6d", "6f", "72", "65"], ascii: " more" });
});

it("writes offsets wide enough", () => {
  expect(hexOffset(255, 1000)).toBe("000000ff");
  expect(hexOffset(1, 2 ** 40)).toBe("0000000001");
});

it.each([
  ["1024", 1024], ["0x400", 1024], ["400h", 1024], [" 1,000 ", 1000], ["-16", 1984], ["2000", undefined], ["x", undefined], ["", undefined],
])("reads %j as %s", (typed, offset) => {
  expect(readOffset(typed, 2000)).toBe(offset);
});
