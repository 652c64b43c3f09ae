// The limits of the viewers, by name. Where one bites, the viewer says so and offers the rest.
import type { ViewerKind } from "./kind";

export const MIB = 1024 * 1024;

/** The bytes that a viewer reads at once; text is read further by "show more", the rest is refused beyond it. */
export const SHOWN_BYTES_MAX: Readonly<Record<ViewerKind, number>> = {
  image: 64 * MIB,
  svg: 8 * MIB,
  html: 8 * MIB,
  pdf: 64 * MIB,
  audio: 256 * MIB,
  video: 256 * MIB,
  markdown: MIB,
  code: 8 * MIB,
  text: 8 * MIB,
  log: 8 * MIB,
  diff: 8 * MIB,
  json: 16 * MIB,
  table: 64 * MIB,
  hex: Number.MAX_SAFE_INTEGER,
};

/** "Show more" stops here: beyond it a download is the better way. */
export const TEXT_BYTES_MAX = 64 * MIB;
export const TABLE_ROWS_MAX = 1_000_000;
export const TABLE_COLUMNS_MAX = 4_096;
export const TABLE_CELLS_MAX = 16_000_000;
/** The characters of one value that a row of a tree, table or log shows. */
export const VALUE_CHARS_SHOWN = 500;
export const LINE_CHARS_SHOWN = 4_000;
