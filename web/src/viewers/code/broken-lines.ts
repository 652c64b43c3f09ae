// Text whose lines are too long for an editor, in rows of equal length. An editor has to measure a whole
// line before it can draw a piece of it; a row is found by arithmetic.

/** Lines beyond this are broken into rows. */
export const EDITOR_LINE_CHARS_MAX = 200_000;
/** An editor takes so much text without getting slow. */
export const EDITOR_CHARS_MAX = 64 * 1024 * 1024;
export const ROW_CHARS = 160;

export function isTooLong(text: string): boolean {
  if (text.length > EDITOR_CHARS_MAX) return true;
  if (text.length <= EDITOR_LINE_CHARS_MAX) return false;
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from);
    const to = end < 0 ? text.length : end;
    if (to - from > EDITOR_LINE_CHARS_MAX) return true;
    from = to + 1;
  }
  return false;
}

/** Where each row begins, and one more for the end. A row never parts a character that takes two units. */
export function rowStarts(text: string, width = ROW_CHARS): Uint32Array {
  const starts: number[] = [0];
  let from = 0;
  while (from < text.length) {
    const end = text.indexOf("\n", from);
    const to = end < 0 ? text.length : end + 1;
    for (let at = from + width; at < to - (end < 0 ? 0 : 1); at += width) {
      if (isSecondHalf(text.charCodeAt(at))) at += 1;
      if (at < to) starts.push(at);
    }
    starts.push(to);
    from = to;
  }
  return Uint32Array.from(starts);
}

function isSecondHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
