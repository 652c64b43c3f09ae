// Characters that a reader does not see, or that change what the reader sees, made visible.
//
// Tool results are written by strangers: a bidirectional override turns `gpj.exe` around, a tag
// character carries text that only a model reads, a control character moves a terminal's cursor.
// They are shown as escapes and never stripped, so that what is there can be seen.

export interface Piece {
  text: string;
  /** Whether the text stands for a character that would not be seen. */
  isEscape: boolean;
}

// C0 without tab and line ends, DEL and C1; soft hyphen; Arabic letter mark; Hangul and Mongolian fillers;
// zero-width, direction and invisible operators; line and paragraph separators; variation selectors
// except the one that makes emoji; byte order mark; interlinear annotation; tags; lone surrogates.
// eslint-disable-next-line no-control-regex
const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|\p{Cs}/u;
const HIDDEN_ALL = new RegExp(HIDDEN.source, "gu");

export function hasHidden(text: string): boolean {
  return HIDDEN.test(text);
}

/** `\u{202e}` for a hidden character; the well-known ones by their usual short form. */
export function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code === 0) return "\\0";
  if (code === 0x1b) return "\\e";
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
}

/** The text in pieces, each seen as it is or an escape. */
export function pieces(text: string): Piece[] {
  if (!HIDDEN.test(text)) return text === "" ? [] : [{ text, isEscape: false }];
  const found: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN_ALL)) {
    if (match.index > from) found.push({ text: text.slice(from, match.index), isEscape: false });
    const before = found.at(-1);
    if (before?.isEscape) before.text += escapeOf(match[0]);
    else found.push({ text: escapeOf(match[0]), isEscape: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) found.push({ text: text.slice(from), isEscape: false });
  return found;
}

/** The text with every hidden character escaped, for places that take plain text only. */
export function withEscapes(text: string): string {
  return HIDDEN.test(text) ? text.replace(HIDDEN_ALL, escapeOf) : text;
}

/** The same expression for CodeMirror, which wants it global. */
export function hiddenExpression(): RegExp {
  return new RegExp(HIDDEN.source, "gu");
}
