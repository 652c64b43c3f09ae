import { describe, expect, it } from "vitest";
import * as canvas from "./canvas";
import { readRemembered, remember, restore } from "./remembered";

const file = (name: string): canvas.FileVersion => ({ key: `key-of-${name}`, name, mime: "text/plain", size: 1 });
const open = (...names: string[]): canvas.CanvasState =>
  names.reduce((state, name) => canvas.openFile(state, file(name)), canvas.emptyCanvas("s1"));
const names = (state: canvas.CanvasState, pane: canvas.Pane): string[] => canvas.tabsOf(state, pane).map((tab) => tab.title);

/** Through the text and back, as over a reload. */
const reloaded = (state: canvas.CanvasState, found: string[], onto = canvas.emptyCanvas("s1")): canvas.CanvasState => {
  const remembered = readRemembered(JSON.stringify(remember(state)));
  return remembered ? restore(onto, remembered, found.map(file)) : onto;
};

describe("files on the canvas", () => {
  const three = canvas.show(canvas.moveToOther(open("a", "b", "c"), canvas.fileTabId("c")), canvas.fileTabId("a"));

  it("are open again as they were", () => {
    const kept = canvas.keep(three, canvas.fileTabId("b"), true);
    const state = reloaded(kept, ["a", "b", "c"]);
    expect(names(state, "main")).toEqual(["a", "b"]);
    expect(names(state, "side")).toEqual(["c"]);
    expect(canvas.activeTab(state, "main")?.title).toBe("a");
    expect(state.isOpen).toBe(true);
    expect(state.tabs.map((tab) => tab.isKept)).toEqual([false, true, false]);
  });

  it("that are gone are left out, and a pane that runs empty goes", () => {
    expect(names(reloaded(three, ["a", "b"]), "main")).toEqual(["a", "b"]);
    expect(names(reloaded(three, ["c"]), "main")).toEqual(["c"]);
    expect(reloaded(three, [])).toEqual(canvas.emptyCanvas("s1"));
  });

  it("do not push away what came meanwhile", () => {
    const state = reloaded(three, ["a", "b"], open("new", "b"));
    expect(names(state, "main")).toEqual(["a", "new", "b"]);
    expect(canvas.activeTab(state, "main")?.title).toBe("b");
  });

  it("are written down without what they are", () => {
    expect(JSON.stringify(remember({ ...three, active: {} }))).not.toMatch(/text.plain|sha|size/);
  });
});

describe("what was written down", () => {
  it("is nothing where it is not ours", () => {
    for (const text of [null, "", "{", "1", "[]", "null", '{"session":1,"files":[]}', '{"session":"s","files":{}}']) {
      expect(readRemembered(text)).toBeUndefined();
    }
    const odd = '{"session":"s","files":[1,null,{"key":2},{"key":"k","pane":"x","hint":3}],"active":{"main":4}}';
    const file = { key: "k", pane: "main", isKept: false, openedBy: "result" };
    expect(readRemembered(odd)).toEqual({ session: "s", isOpen: false, files: [file], active: {} });
  });
});
