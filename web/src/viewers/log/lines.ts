// The lines of a log: their level, by how loggers write it, and the choice of those that are shown.
import { withoutStyles } from "./ansi";

export type Level = "error" | "warn" | "info" | "debug" | "trace";

export const LEVELS: readonly Level[] = ["error", "warn", "info", "debug", "trace"];

export interface LogLine {
  text: string;
  /** Absent where the line says none; lines that go on an entry (a stack trace) have that entry's. */
  level?: Level;
}

const WORDS: Readonly<Record<string, Level>> = {
  fatal: "error", critical: "error", crit: "error", emerg: "error", alert: "error", panic: "error", severe: "error", error: "error",
  err: "error", warning: "warn", warn: "warn", notice: "info", info: "info", information: "info", debug: "debug", dbg: "debug",
  fine: "debug", trace: "trace", trc: "trace", verbose: "trace", finest: "trace",
};
const LETTERS: Readonly<Record<string, Level>> = { F: "error", E: "error", W: "warn", I: "info", D: "debug", T: "trace", V: "trace" };
const LEVEL_CHARS = 200;
const NAMED = /\b(?:level|lvl|severity|levelname)"?\s*[=:]\s*"?([A-Za-z]+)/i;
// A level stands near the front: alone, in brackets, or before a colon. Lower case counts only where it is marked so.
const UPPER = /(?:^|[\s[(<|:])(FATAL|CRITICAL|CRIT|EMERG|ALERT|PANIC|SEVERE|ERROR|ERR|WARNING|WARN|NOTICE|INFO|DEBUG|DBG|FINE|TRACE|TRC|VERBOSE)(?=$|[\s\])>|:;,-])/;
const MARKED = /(?:^|\s)(?:\[|\(|<)?(fatal|critical|error|warning|warn|notice|info|debug|trace|Error|Warning|Warn|Info|Debug|Trace|panic)(?:\]|\)|>|:)/;
const GLOG = /^([FEWIDTV])(?:\d{4}\s|\/)|^\S*\s?\b([FEWIDTV])\/\S+\(/;
const GOES_ON = /^(\s+\S|Caused by:|Traceback |\.{3} \d+ more)/;

export function levelOf(line: string): Level | undefined {
  const front = line.slice(0, LEVEL_CHARS);
  const word = NAMED.exec(front)?.[1] ?? UPPER.exec(front)?.[1] ?? MARKED.exec(front)?.[1];
  const key = word?.toLowerCase();
  if (key !== undefined && Object.hasOwn(WORDS, key)) return WORDS[key];
  const letter = GLOG.exec(front);
  const found = letter?.[1] ?? letter?.[2];
  return found !== undefined && Object.hasOwn(LETTERS, found) ? LETTERS[found] : undefined;
}

export function readLog(text: string): LogLine[] {
  const lines = text.split(/\r\n|\n|\r(?!$)/);
  if (lines.at(-1) === "" || lines.at(-1) === "\r") lines.pop();
  let last: Level | undefined;
  return lines.map((line) => {
    const plain = withoutStyles(line);
    const level = levelOf(plain) ?? (GOES_ON.test(plain) ? last : undefined);
    last = level;
    return level === undefined ? { text: line } : { text: line, level };
  });
}

/** How many lines there are of each level. */
export function countLevels(lines: readonly LogLine[]): Map<Level | undefined, number> {
  const counts = new Map<Level | undefined, number>();
  for (const { level } of lines) counts.set(level, (counts.get(level) ?? 0) + 1);
  return counts;
}

/** The numbers of the lines whose level is not hidden and that have the text, whatever its case. */
export function chooseLines(lines: readonly LogLine[], hidden: ReadonlySet<Level | undefined>, query: string): number[] {
  const wanted = query.toLowerCase();
  const chosen: number[] = [];
  lines.forEach((line, number) => {
    if (hidden.has(line.level)) return;
    if (wanted !== "" && !withoutStyles(line.text).toLowerCase().includes(wanted)) return;
    chosen.push(number);
  });
  return chosen;
}
