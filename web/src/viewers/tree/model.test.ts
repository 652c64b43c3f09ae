import { describe, expect, it } from "vitest";
import { TreeModel } from "./model";

function model(text: string): TreeModel {
  const made = TreeModel.ofText(text);
  if ("problem" in made) throw new Error(made.problem);
  return made;
}

function lines(tree: TreeModel): string[] {
  return tree.sight(0, 1000).rows.map((row) => {
    const name = row.step === undefined ? "" : `${row.step}: `;
    return `${"  ".repeat(row.depth)}${name}${row.size === undefined ? row.text : `${row.kind} of ${row.size}${row.isOpen ? "" : " …"}`}`;
  });
}

describe("tree", () => {
  it("lists values in order, with digits and repeated names as they are", () => {
    expect(lines(model('{"b":[1.0,1e400],"a":{},"a":12345678901234567890,"__proto__":null}'))).toEqual([
      "object of 4", "  b: array of 2", "    0: 1.0", "    1: 1e400", "  a: object of 0", "  a: 12345678901234567890", "  __proto__: null",
    ]);
  });

  it("closes and opens", () => {
    const tree = model('{"a":{"b":{"c":1}},"d":2}');
    tree.setOpen(1, false);
    expect(lines(tree)).toEqual(["object of 2", "  a: object of 1 …", "  d: 2"]);
    tree.setAllOpen(true);
    expect(lines(tree)).toHaveLength(5);
    tree.setAllOpen(false);
    expect(lines(tree)).toEqual(["object of 2", "  a: object of 1 …", "  d: 2"]);
    tree.setOpen(4, true);
    expect(tree.sight(0, 9).count).toBe(3);
  });

  it("opens little of what is large", () => {
    const tree = model(JSON.stringify(Array.from({ length: 5000 }, (_, n) => ({ n }))));
    expect(tree.sight(0, 0).count).toBe(5001);
    expect(tree.total).toBe(10_001);
    expect(tree.sight(4999, 9999).rows).toHaveLength(2);
  });

  it("knows paths, parents and values", () => {
    const tree = model('{"a":[{"x-y":"text"}]}');
    expect(tree.path(3)).toBe('.a[0]["x-y"]');
    expect(tree.value(3)).toBe("text");
    expect(tree.value(2)).toBe('{\n  "x-y": "text"\n}');
    expect(tree.parentPlace(3)).toBe(2);
    expect(tree.path(0)).toBe(".");
  });

  it("finds in names and values, opens the way, and goes round", () => {
    const tree = model('{"a":{"deep":"NEEDLE"},"needle":[1],"n":"x"}');
    tree.setAllOpen(false);
    expect(tree.find("needle", 1, 0)).toEqual({ matches: 2, isCut: false, current: 1, row: 2 });
    expect(tree.find("needle", 1, 0)).toMatchObject({ current: 2, row: 3 });
    expect(tree.find("needle", 1, 0)).toMatchObject({ current: 1 });
    expect(tree.find("needle", -1, 0)).toMatchObject({ current: 2 });
    expect(tree.find("nothing", 1, 0)).toMatchObject({ matches: 0, row: -1 });
    expect(tree.find("", 1, 0).matches).toBe(0);
  });

  it("says where a text is no JSON", () => {
    expect(TreeModel.ofText('{"a":\n x}')).toEqual({ problem: expect.stringMatching(/^Line 2, column 2: /) });
  });

  it("cuts what is long, and copies all of it", () => {
    const tree = model(JSON.stringify("x".repeat(2000)));
    expect(tree.sight(0, 1).rows[0]).toMatchObject({ chars: 2000 });
    expect(tree.sight(0, 1).rows[0]?.text).toHaveLength(500);
    expect(tree.value(0)).toHaveLength(2000);
  });
});
