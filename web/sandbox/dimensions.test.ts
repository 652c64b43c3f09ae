import { describe, expect, it } from "vitest";
import { pictureOf, refusalOf } from "./dimensions";

/** Bytes from text (one byte a character) and numbers. */
function bytes(...parts: (string | number[])[]): Uint8Array {
  return Uint8Array.from(
    parts.flatMap((part) => (typeof part === "string" ? [...part].map((c) => c.charCodeAt(0)) : part)),
  );
}

const pad = (count: number): number[] => Array.from({ length: count }, () => 0);
const be32 = (value: number): number[] => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
const png = (width: number, height: number): Uint8Array =>
  bytes("\x89PNG\r\n\x1a\n", be32(13), "IHDR", be32(width), be32(height), [8, 6, 0, 0, 0]);

describe("the size of a picture", () => {
  const cases: [string, Uint8Array, ReturnType<typeof pictureOf>][] = [
    ["png", png(640, 480), { mime: "image/png", width: 640, height: 480 }],
    ["gif", bytes("GIF89a", [0x80, 2, 0xe0, 1], pad(3)), { mime: "image/gif", width: 640, height: 480 }],
    [
      "jpeg behind a long comment",
      bytes([0xff, 0xd8, 0xff, 0xfe, 0, 12], pad(10), [0xff, 0xc2, 0, 17, 8, 1, 0xe0, 2, 0x80, 3]),
      { mime: "image/jpeg", width: 640, height: 480 },
    ],
    ["webp, extended", bytes("RIFF", pad(4), "WEBPVP8X", pad(8), [0x7f, 2, 0, 0xdf, 1, 0]), {
      mime: "image/webp", width: 640, height: 480,
    }],
    ["bmp upside down", bytes("BM", pad(12), [40, 0, 0, 0, 0x80, 2, 0, 0], be32(0).map(() => 255)), {
      mime: "image/bmp", width: 640, height: 1,
    }],
    ["avif", bytes(be32(20), "ftypavif", pad(8), be32(20), "ispe", be32(0), be32(640), be32(480), pad(16)), {
      mime: "image/avif", width: 640, height: 480,
    }],
    ["html that says it is a png", bytes("<!doctype html><script>"), undefined],
    ["a png that ends early", png(1, 1).slice(0, 20), undefined],
    ["a jpeg that ends early", bytes([0xff, 0xd8, 0xff, 0xc0, 0, 17, 8]), undefined],
    ["nothing", new Uint8Array(), undefined],
  ];
  it.each(cases)("is read from %s", (_, input, expected) => expect(pictureOf(input)).toEqual(expected));

  it("is that of the PNG inside an icon", () => {
    const head = bytes([0, 0, 1, 0, 1, 0, 16, 16, 0, 0, 1, 0, 32, 0], pad(4), [22, 0, 0, 0]);
    expect(pictureOf(bytes([...head], [...png(50_000, 50_000)]))).toMatchObject({ width: 50_000, height: 50_000 });
  });
});

describe("what is refused", () => {
  it.each([
    [50_000, 50_000, true],
    [70_000, 1, true],
    [0, 5, true],
    [10_000, 10_000, false],
  ])("%i × %i", (width, height, isRefused) => {
    expect(refusalOf({ mime: "image/png", width, height }) !== undefined).toBe(isRefused);
  });
});
