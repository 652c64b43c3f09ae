// ANSI escapes in a line of a log: colours and weights become styles, everything else is shown as an
// escape. Nothing a terminal would do (links, titles, cursor, clipboard) is done.

export interface Style {
  /** The colour by its terminal number, 0 to 15. */
  ink?: number;
  ground?: number;
  isBold?: boolean;
  isFaint?: boolean;
  isItalic?: boolean;
  isUnderlined?: boolean;
}

export interface Run {
  text: string;
  style: Style;
}

// eslint-disable-next-line no-control-regex
const SGR = /\u001b\[([0-9;:]*)m/g;
// eslint-disable-next-line no-control-regex
const HAS_ESCAPE = /\u001b/;

export function hasEscapes(line: string): boolean {
  return HAS_ESCAPE.test(line);
}

/** The runs of a line; each line starts plain. */
export function ansiRuns(line: string): Run[] {
  if (!HAS_ESCAPE.test(line)) return line === "" ? [] : [{ text: line, style: {} }];
  const runs: Run[] = [];
  let style: Style = {};
  let from = 0;
  for (const match of line.matchAll(SGR)) {
    if (match.index > from) runs.push({ text: line.slice(from, match.index), style });
    style = restyled(style, match[1] ?? "");
    from = match.index + match[0].length;
  }
  if (from < line.length) runs.push({ text: line.slice(from), style });
  return runs;
}

/** The line without its colours, for searching and copying. */
export function withoutStyles(line: string): string {
  return HAS_ESCAPE.test(line) ? line.replace(SGR, "") : line;
}

function restyled(before: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map((code) => (code === "" ? 0 : Number(code)));
  let style: Style = { ...before };
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 0) style = {};
    else if (code === 1) style.isBold = true;
    else if (code === 2) style.isFaint = true;
    else if (code === 3) style.isItalic = true;
    else if (code === 4) style.isUnderlined = true;
    else if (code === 22) {
      delete style.isBold;
      delete style.isFaint;
    } else if (code === 23) delete style.isItalic;
    else if (code === 24) delete style.isUnderlined;
    else if (code >= 30 && code <= 37) style.ink = code - 30;
    else if (code >= 90 && code <= 97) style.ink = code - 90 + 8;
    else if (code === 39) delete style.ink;
    else if (code >= 40 && code <= 47) style.ground = code - 40;
    else if (code >= 100 && code <= 107) style.ground = code - 100 + 8;
    else if (code === 49) delete style.ground;
    else if (code === 38 || code === 48) {
      // 256 colours and true colours are brought down to the sixteen that both themes have.
      const [colour, skipped] = wideColour(codes, at + 1);
      if (colour !== undefined) style[code === 38 ? "ink" : "ground"] = colour;
      at += skipped;
    }
  }
  return style;
}

function wideColour(codes: readonly number[], at: number): [number | undefined, number] {
  if (codes[at] === 5) return [nearestOf256(codes[at + 1] ?? 7), 2];
  if (codes[at] === 2) return [nearest(codes[at + 1] ?? 0, codes[at + 2] ?? 0, codes[at + 3] ?? 0), 4];
  return [undefined, codes.length];
}

function nearestOf256(code: number): number {
  if (code < 16) return code;
  if (code >= 232) return code < 244 ? 8 : 7;
  const cube = code - 16;
  return nearest(Math.floor(cube / 36) * 51, (Math.floor(cube / 6) % 6) * 51, (cube % 6) * 51);
}

function nearest(red: number, green: number, blue: number): number {
  const bright = Math.max(red, green, blue);
  if (bright < 48) return 8;
  const half = bright / 2;
  const hue = (red > half ? 1 : 0) + (green > half ? 2 : 0) + (blue > half ? 4 : 0);
  return bright > 200 && hue !== 7 ? hue + 8 : hue;
}
