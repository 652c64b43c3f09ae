// Search that forgives: every word of the query must be found in one of the texts, as it is, by initials, or
// with a letter missing here and there; what starts a word counts for more.

export interface Field {
  text: string;
  /** How much a find here counts. */
  weight: number;
  /** A longer text, in which only the beginnings of words are looked for. */
  isProse?: boolean;
}

export interface Found<T> {
  item: T;
  score: number;
}

const WORD_START = 8;
const IN_A_ROW = 5;
const WHOLE = 12;
const GAP = -2;
/** Letters may be missing inside words once in so many. */
const LETTERS_PER_GAP = 2;

/** How well one word fits a text; nothing where it does not. */
export function scoreOf(word: string, text: string, isProse = false): number | null {
  const lower = text.toLowerCase();
  let at = lower.indexOf(word);
  while (isProse && at > 0 && !isBoundary(text, at)) at = lower.indexOf(word, at + 1);
  if (at >= 0) {
    const starts = isBoundary(text, at);
    return (
      WHOLE +
      word.length * IN_A_ROW +
      (starts ? WORD_START : 0) -
      Math.min(at, 40) * 0.05 -
      Math.min(text.length, 100) * 0.02
    );
  }
  return isProse || word.length < 2 ? null : scoreOfLetters(word, text, lower);
}

/** Letters in order: each follows the one before or starts a word, apart from a few gaps. */
function scoreOfLetters(word: string, text: string, lower: string): number | null {
  let score = 0;
  let last = -1;
  let gaps = Math.floor(word.length / LETTERS_PER_GAP);
  for (const letter of word) {
    let found = lower[last + 1] === letter ? last + 1 : -1;
    for (let i = last + 2; found < 0 && i < lower.length; i++)
      if (lower[i] === letter && isBoundary(text, i)) found = i;
    const isMeant = found >= 0 && (last >= 0 || isBoundary(text, found));
    if (!isMeant) {
      found = lower.indexOf(letter, last + 1);
      gaps -= 1;
      if (found < 0 || gaps < 0) return null;
    }
    score += !isMeant ? GAP : found === last + 1 && last >= 0 ? IN_A_ROW : WORD_START;
    last = found;
  }
  return score > 0 ? score : null;
}

function isBoundary(text: string, at: number): boolean {
  if (at === 0) return true;
  const before = text[at - 1] ?? "";
  const here = text[at] ?? "";
  if (!/[\p{L}\p{N}'’]/u.test(before)) return /[\p{L}\p{N}]/u.test(here);
  return /\p{Ll}/u.test(before) && /\p{Lu}/u.test(here);
}

/** The items that have every word of the query, the best first; all of them, in their order, without one. */
export function search<T>(query: string, items: readonly T[], fieldsOf: (item: T) => Field[]): T[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...items];
  const found: Found<T>[] = [];
  for (const item of items) {
    const fields = fieldsOf(item);
    let score = 0;
    const hasAll = words.every((word) => {
      const best = Math.max(
        ...fields.map(
          ({ text, weight, isProse }) => (scoreOf(word, text, isProse) ?? Number.NEGATIVE_INFINITY) * weight,
        ),
      );
      score += best;
      return best > 0;
    });
    if (hasAll) found.push({ item, score });
  }
  return found.sort((a, b) => b.score - a.score).map(({ item }) => item);
}
