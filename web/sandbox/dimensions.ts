// Width and height of a picture from its first bytes, and what it really is: decided before a decoder sees it,
// because one that claims 50,000 × 50,000 pixels costs ten gigabytes. What is not recognised is not decoded.

export const PIXELS_MAX = 100_000_000;
export const SIDE_MAX = 65_535;

export interface Picture {
  mime: string;
  width: number;
  height: number;
}

/** What the bytes are, or nothing where no format that browsers show is recognised. */
export function pictureOf(bytes: Uint8Array): Picture | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return png(view) ?? gif(view) ?? jpeg(view) ?? webp(view) ?? bmp(view) ?? icon(view) ?? avif(view);
  } catch (error) {
    // The header promises more bytes than there are.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Why a picture is not decoded, in words for a person; nothing where it may be. */
export function refusalOf(picture: Picture): string | undefined {
  const { width, height } = picture;
  const said = `${width.toLocaleString("en")} × ${height.toLocaleString("en")} pixels`;
  if (width === 0 || height === 0) return `The picture says that it is ${said}.`;
  if (width > SIDE_MAX || height > SIDE_MAX || width * height > PIXELS_MAX) {
    return `The picture says that it is ${said}; at most ${PIXELS_MAX / 1e6} million pixels are decoded here.`;
  }
  return undefined;
}

function ascii(view: DataView, at: number, length: number): string {
  let text = "";
  for (let i = 0; i < length; i += 1) text += String.fromCharCode(view.getUint8(at + i));
  return text;
}

function png(view: DataView, at = 0): Picture | undefined {
  if (view.byteLength < at + 24 || view.getUint32(at) !== 0x89504e47 || view.getUint32(at + 4) !== 0x0d0a1a0a) return;
  if (ascii(view, at + 12, 4) !== "IHDR") return;
  return { mime: "image/png", width: view.getUint32(at + 16), height: view.getUint32(at + 20) };
}

function gif(view: DataView): Picture | undefined {
  if (view.byteLength < 13 || !/^GIF8[79]a$/.test(ascii(view, 0, 6))) return;
  return { mime: "image/gif", width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

/** Segments are walked up to the first frame header: comments and profiles before it can be long. */
function jpeg(view: DataView): Picture | undefined {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return;
  let at = 2;
  while (at + 4 <= view.byteLength) {
    if (view.getUint8(at) !== 0xff) return;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) {
      at += 2;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { mime: "image/jpeg", height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    if (marker === 0xda || marker === 0xd9) return;
    at += 2 + Math.max(2, view.getUint16(at + 2));
  }
  return;
}

function webp(view: DataView): Picture | undefined {
  if (view.byteLength < 30 || ascii(view, 0, 4) !== "RIFF" || ascii(view, 8, 4) !== "WEBP") return;
  const mime = "image/webp";
  const kind = ascii(view, 12, 4);
  const uint24 = (at: number): number => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
  if (kind === "VP8X") return { mime, width: uint24(24) + 1, height: uint24(27) + 1 };
  if (kind === "VP8L") {
    const bits = view.getUint32(21, true);
    return { mime, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (kind !== "VP8 ") return;
  return { mime, width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

function bmp(view: DataView): Picture | undefined {
  if (view.byteLength < 26 || ascii(view, 0, 2) !== "BM") return;
  const mime = "image/bmp";
  if (view.getUint32(14, true) === 12) {
    return { mime, width: view.getUint16(18, true), height: view.getUint16(20, true) };
  }
  return { mime, width: Math.abs(view.getInt32(18, true)), height: Math.abs(view.getInt32(22, true)) };
}

/** An icon's entries may be whole PNGs, which say themselves how large they are. */
function icon(view: DataView): Picture | undefined {
  if (view.byteLength < 22 || view.getUint32(0, true) !== 0x00010000) return;
  const largest: Picture = { mime: "image/x-icon", width: 0, height: 0 };
  const count = Math.min(view.getUint16(4, true), 256);
  for (let entry = 0; entry < count; entry += 1) {
    const at = 6 + entry * 16;
    const inner = png(view, view.getUint32(at + 12, true));
    largest.width = Math.max(largest.width, inner?.width ?? (view.getUint8(at) || 256));
    largest.height = Math.max(largest.height, inner?.height ?? (view.getUint8(at + 1) || 256));
  }
  return largest.width > 0 ? largest : undefined;
}

/** The largest `ispe` property of the `meta` box; images of a grid and the whole have one each. */
function avif(view: DataView): Picture | undefined {
  if (view.byteLength < 16 || ascii(view, 4, 4) !== "ftyp") return;
  const brands = ascii(view, 8, Math.min(view.getUint32(0), 64, view.byteLength) - 8);
  if (!brands.includes("avif") && !brands.includes("avis")) return;
  const found: Picture = { mime: "image/avif", width: 0, height: 0 };
  const end = Math.min(view.byteLength - 16, 1 << 20);
  for (let at = 0; at < end; at += 1) {
    if (view.getUint32(at) !== 0x69737065) continue;
    found.width = Math.max(found.width, view.getUint32(at + 8));
    found.height = Math.max(found.height, view.getUint32(at + 12));
  }
  return found.width > 0 ? found : undefined;
}
