import { describe, expect, it } from "vitest";
import { pairs, parseDiff, titleOf } from "./parse";

const GIT = `From 123
Subject: x

diff --git a/src/a.rs b/src/a.rs
index 1..2 100644
--- a/src/a.rs
+++ b/src/a.rs
@@ -1,3 +1,4 @@ fn main() {
 same
-old
--- looks like a header
+new
+++ looks like one too
+third
@@ -10 +11 @@
-x
+y
\\ No newline at end of file
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+hello
diff --git a/old name b/new name
similarity index 100%
rename from old name
rename to new name
diff --git a/p.png b/p.png
Binary files a/p.png and b/p.png differ
`;

describe("diff", () => {
  const diff = parseDiff(GIT);

  it("finds files, their status and counts", () => {
    expect(diff.preamble).toEqual(["From 123", "Subject: x", ""]);
    expect(diff.files.map((file) => [titleOf(file), file.status, file.added, file.removed, file.isBinary])).toEqual([
      ["src/a.rs", "changed", 4, 3, false],
      ["new.txt", "added", 1, 0, false],
      ["old name → new name", "renamed", 0, 0, false],
      ["p.png", "changed", 0, 0, true],
    ]);
  });

  it("numbers lines on both sides and takes lines in a hunk for lines", () => {
    const hunk = diff.files[0]?.hunks[0];
    expect(hunk?.lines).toEqual([
      { kind: "same", text: "same", before: 1, after: 1 },
      { kind: "removed", text: "old", before: 2 },
      { kind: "removed", text: "-- looks like a header", before: 3 },
      { kind: "added", text: "new", after: 2 },
      { kind: "added", text: "++ looks like one too", after: 3 },
      { kind: "added", text: "third", after: 4 },
    ]);
    expect(diff.files[0]?.hunks[1]?.lines.at(-1)).toEqual({ kind: "note", text: "No newline at end of file" });
  });

  it("puts removed lines beside added ones", () => {
    const hunk = diff.files[0]?.hunks[0];
    const sides = pairs(hunk ?? { header: "", lines: [] }).map((pair) => [pair.left?.text, pair.right?.text]);
    expect(sides).toEqual([["same", "same"], ["old", "new"], ["-- looks like a header", "++ looks like one too"], [undefined, "third"]]);
  });

  it("reads a plain diff of several files, with CRLF and time stamps", () => {
    const plain = parseDiff("--- a.txt\t2026-01-01\r\n+++ b.txt\t2026-01-02\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n--- c\r\n+++ c\r\n@@ -1,2 +1 @@\r\n c\r\n-d\r\n");
    expect(plain.files.map(titleOf)).toEqual(["a.txt → b.txt", "c"]);
    expect(plain.files[1]?.removed).toBe(1);
  });

  it("keeps what is no diff", () => {
    expect(parseDiff("hello\nworld")).toEqual({ preamble: ["hello", "world"], files: [] });
    expect(parseDiff("").files).toEqual([]);
  });

  it("does not lose lines of a hunk that is longer than it says", () => {
    const odd = parseDiff("--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n+c\n");
    expect(odd.files[0]?.hunks[0]?.lines.at(-1)).toEqual({ kind: "note", text: "+c" });
  });
});
