// Pictures that are small as files and enormous as pixels, and formats that bait a parser.
import { crc32, deflateSync } from "node:zlib";
import type { Hostile } from "./html";

/** A PNG whose header says so many pixels, and whose data are the given bytes, compressed. */
export function png(width: number, height: number, pixels: Uint8Array): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", deflateSync(pixels)), chunk("IEND", Buffer.alloc(0))]);
}

function chunk(kind: string, data: Uint8Array): Uint8Array {
  const named = Buffer.concat([Buffer.from(kind, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(checksum(named));
  return Buffer.concat([length, named, sum]);
}

/** Node's own where it has one (20.15 and newer). */
function checksum(data: Uint8Array): number {
  return crc32(data);
}

/** A picture in one colour. */
export function goodPng(width: number, height: number): Uint8Array {
  const row = Buffer.alloc(1 + width * 4);
  for (let at = 1; at < row.length; at += 4) row.set([31, 95, 91, 255], at);
  return png(width, height, Buffer.concat(Array.from({ length: height }, () => row)));
}

/** A GIF with many frames of one pixel on a screen as large as the format can say. */
function manyFrames(count: number): Uint8Array {
  const header = Buffer.concat([Buffer.from("GIF89a", "latin1"), Buffer.from([0xff, 0xff, 0xff, 0xff, 0x80, 0, 0, 0, 0, 0, 255, 255, 255])]);
  const frame = Buffer.from([0x21, 0xf9, 4, 0, 1, 0, 0, 0, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]);
  return Buffer.concat([header, ...Array.from({ length: count }, () => frame), Buffer.from([0x3b])]);
}

export function hostileImages(): Hostile[] {
  const ftyp = (brand: string) => Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from(`ftyp${brand}\0\0\0\0${brand}mif1`, "latin1"), Buffer.alloc(64, 0xff)]);
  return [
    { name: "bomb.png", content: png(50_000, 50_000, Buffer.alloc(1_000_000)) },
    { name: "frames.gif", content: manyFrames(100_000) },
    { name: "bait.tiff", content: Buffer.concat([Buffer.from([0x49, 0x49, 0x2a, 0, 8, 0, 0, 0, 0xff, 0xff]), Buffer.alloc(200, 0xfe)]) },
    { name: "bait.heic", content: ftyp("heic") },
    { name: "bait.avif", content: ftyp("avif") },
    { name: "lie.png", content: "<html><script>document.title='taken'</script><h1>no picture</h1></html>" },
  ];
}
