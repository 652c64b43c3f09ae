import { describe, expect, it } from "vitest";
import { ansiRuns, withoutStyles } from "./ansi";
import { chooseLines, countLevels, levelOf, readLog } from "./lines";

describe("levels", () => {
  it.each([
    ["2026-01-01T00:00:00Z ERROR it broke", "error"],
    ["2026-01-01 00:00:00,123 - app - WARNING - careful", "warn"],
    ["[info] started", "info"],
    ["error: no such file", "error"],
    ["E0102 12:00:00.000 1 main.go:1] bad", "error"],
    ["W/ActivityManager( 1234): slow", "warn"],
    ['{"level":"debug","msg":"x"}', "debug"],
    ["ts=1 level=warn msg=hello", "warn"],
    ["  <7> TRACE x", "trace"],
    ["thread 'main' panicked", undefined],
    ["no errors found", undefined],
    ["the INFORMATION desk", undefined],
    ["", undefined],
    ['level="__proto__"', undefined],
  ] as const)("%j is %s", (line, level) => {
    expect(levelOf(line)).toBe(level);
  });

  it("gives a stack trace the level of its entry", () => {
    const lines = readLog("ERROR bad\r\n  at a.b(c)\nCaused by: x\nplain\n  indented\n");
    expect(lines.map((line) => line.level)).toEqual(["error", "error", "error", undefined, undefined]);
    expect(countLevels(lines).get("error")).toBe(3);
  });

  it("chooses by level and by text, ignoring colours", () => {
    const lines = readLog("INFO a\nERROR \u001b[31mbro\u001b[0mken\nplain");
    expect(lines[1]?.level).toBe("error");
    expect(chooseLines(lines, new Set(["info"]), "")).toEqual([1, 2]);
    expect(chooseLines(lines, new Set([undefined]), "")).toEqual([0, 1]);
    expect(chooseLines(lines, new Set(), "BROKEN")).toEqual([1]);
  });
});

describe("ANSI", () => {
  it("makes styles of colours", () => {
    expect(ansiRuns("a\u001b[1;31mb\u001b[22mc\u001b[0md")).toEqual([
      { text: "a", style: {} },
      { text: "b", style: { isBold: true, ink: 1 } },
      { text: "c", style: { ink: 1 } },
      { text: "d", style: {} },
    ]);
  });

  it("brings many colours down to sixteen", () => {
    expect(ansiRuns("\u001b[38;5;196mx")[0]?.style).toEqual({ ink: 9 });
    expect(ansiRuns("\u001b[38;2;0;128;0mx")[0]?.style).toEqual({ ink: 2 });
    expect(ansiRuns("\u001b[48;5;21;4mx")[0]?.style).toEqual({ ground: 12, isUnderlined: true });
    expect(ansiRuns("\u001b[38;9mx")[0]?.style).toEqual({});
  });

  it("leaves links and other sequences in the text, to be shown as escapes", () => {
    const line = "\u001b]8;;http://evil\u0007click\u001b[2J";
    expect(ansiRuns(line)).toEqual([{ text: line, style: {} }]);
    expect(withoutStyles("\u001b[1mx\u001b[2Ky")).toBe("x\u001b[2Ky");
  });
});
