// Reads a unified diff, plain or as git writes it. Never fails: lines that belong to no file are kept as
// what was said before it.

export interface DiffLine {
  kind: "same" | "added" | "removed" | "note";
  text: string;
  before?: number;
  after?: number;
}

export interface Hunk {
  header: string;
  lines: DiffLine[];
}

export interface FileDiff {
  before: string;
  after: string;
  status: "changed" | "added" | "removed" | "renamed";
  isBinary: boolean;
  added: number;
  removed: number;
  /** Lines before the hunks that say more: modes, similarity, a commit's message. */
  remarks: string[];
  hunks: Hunk[];
}

export interface Diff {
  preamble: string[];
  files: FileDiff[];
}

const HUNK = /^@@+ -(\d+)(?:,(\d+))?(?: -\d+(?:,\d+)?)* \+(\d+)(?:,(\d+))? @@+/;

export function parseDiff(text: string): Diff {
  const diff: Diff = { preamble: [], files: [] };
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  let file: FileDiff | undefined;
  let hunk: Hunk | undefined;
  let before = 0;
  let after = 0;
  // How many lines of either side the hunk still has; what follows is a header again, even `--- a`.
  let beforeLeft = 0;
  let afterLeft = 0;

  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (file && hunk && (beforeLeft > 0 || afterLeft > 0)) {
      const sign = line[0] ?? " ";
      if (sign === "+" || sign === "-" || sign === " ") {
        const rest = line.slice(1);
        if (sign === "+") {
          hunk.lines.push({ kind: "added", text: rest, after });
          file.added += 1;
        } else if (sign === "-") {
          hunk.lines.push({ kind: "removed", text: rest, before });
          file.removed += 1;
        } else hunk.lines.push({ kind: "same", text: rest, before, after });
        if (sign !== "+") [before, beforeLeft] = [before + 1, beforeLeft - 1];
        if (sign !== "-") [after, afterLeft] = [after + 1, afterLeft - 1];
        continue;
      }
    }
    const hunkHead = HUNK.exec(line);
    if (line.startsWith("diff --git ") || (line.startsWith("--- ") && lines[at + 1]?.startsWith("+++ ") && !isHeaded(file, hunk))) {
      file = newFile(line);
      diff.files.push(file);
      hunk = undefined;
      if (line.startsWith("--- ")) file.before = pathOf(line.slice(4));
    } else if (file && line.startsWith("--- ")) file.before = pathOf(line.slice(4));
    else if (file && line.startsWith("+++ ")) {
      file.after = pathOf(line.slice(4));
      if (file.before === "/dev/null") file.status = "added";
      else if (file.after === "/dev/null") file.status = "removed";
    } else if (file && hunkHead) {
      hunk = { header: line, lines: [] };
      file.hunks.push(hunk);
      before = Number(hunkHead[1]);
      after = Number(hunkHead[3]);
      beforeLeft = hunkHead[2] === undefined ? 1 : Number(hunkHead[2]);
      afterLeft = hunkHead[4] === undefined ? 1 : Number(hunkHead[4]);
    } else if (hunk && line.startsWith("\\")) hunk.lines.push({ kind: "note", text: line.slice(1).trim() });
    else if (file && !hunk) readExtended(file, line);
    else if (file && hunk && line !== "") {
      beforeLeft = 0;
      afterLeft = 0;
      hunk.lines.push({ kind: "note", text: line });
    } else if (!file) diff.preamble.push(line);
  }
  return diff;
}

/** Whether a git header has begun this file, so that `---` is a part of it and no new file. */
function isHeaded(file: FileDiff | undefined, hunk: Hunk | undefined): boolean {
  return file !== undefined && hunk === undefined && file.hunks.length === 0;
}

function newFile(line: string): FileDiff {
  const paths = /^diff --git (?:"?a\/(.*?)"?) (?:"?b\/(.*?)"?)$/.exec(line);
  return {
    before: paths?.[1] ?? "", after: paths?.[2] ?? "", status: "changed", isBinary: false, added: 0, removed: 0, remarks: [], hunks: [],
  };
}

/** A path without the prefix and the time stamp that tools write beside it. */
function pathOf(text: string): string {
  const path = text.replace(/\t.*$/, "").replace(/^"(.*)"$/, "$1");
  return path.replace(/^[abciow]\//, "");
}

function readExtended(file: FileDiff, line: string): void {
  if (line.startsWith("new file")) file.status = "added";
  else if (line.startsWith("deleted file")) file.status = "removed";
  else if (line.startsWith("rename from ")) [file.before, file.status] = [line.slice(12), "renamed"];
  else if (line.startsWith("rename to ")) [file.after, file.status] = [line.slice(10), "renamed"];
  else if (/^(Binary files |GIT binary patch)/.test(line)) file.isBinary = true;
  if (line !== "" && !line.startsWith("index ") && !file.isBinary) file.remarks.push(line);
}

/** A file's name for a list: `old → new` where it moved. */
export function titleOf(file: FileDiff): string {
  if (file.status === "added" || file.before === "" || file.before === "/dev/null") return file.after;
  if (file.status === "removed" || file.after === "" || file.after === "/dev/null") return file.before;
  return file.before === file.after ? file.after : `${file.before} → ${file.after}`;
}

export interface Pair {
  left?: DiffLine;
  right?: DiffLine;
}

/** The lines of a hunk side by side: removed ones face the added ones that follow them. */
export function pairs(hunk: Hunk): Pair[] {
  const found: Pair[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const settle = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1) {
      const pair: Pair = {};
      const left = removed[at];
      const right = added[at];
      if (left) pair.left = left;
      if (right) pair.right = right;
      found.push(pair);
    }
    [removed, added] = [[], []];
  };
  for (const line of hunk.lines) {
    if (line.kind === "removed") {
      if (added.length > 0) settle();
      removed.push(line);
    } else if (line.kind === "added") added.push(line);
    else {
      settle();
      found.push({ left: line, right: line });
    }
  }
  settle();
  return found;
}
