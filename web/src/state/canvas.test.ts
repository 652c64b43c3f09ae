import { describe, expect, it } from "vitest";
import type { components } from "../api/schema";
import * as canvas from "./canvas";
import type { CanvasState, FileTab } from "./canvas";

type Update = components["schemas"]["FilesUpdate"];

function update(names: string[], display: Partial<Update["display"]> = {}, call = "call-1"): Update {
  return {
    call,
    files: names.map((name) => ({
      key: `${call}/${name}`,
      name,
      mime: "text/plain",
      size: 3,
      sha256: "00",
      category: "data",
      showable: !name.endsWith(".zip"),
      viewer: "text",
    })),
    categories: {},
    display: { open_canvas: true, mode: "replace", ...display },
  };
}

function titles(state: CanvasState, pane: canvas.Pane = "main"): string[] {
  return canvas.tabsOf(state, pane).map((tab) => tab.title);
}

const start = canvas.emptyCanvas("s1");
const after = (...updates: Update[]): CanvasState =>
  updates.reduce((state, each) => canvas.applyFiles(state, each, true), start);
const shown = (state: CanvasState, pane: canvas.Pane = "main"): string | undefined =>
  canvas.activeTab(state, pane)?.title;

describe("files of a result", () => {
  it("open the canvas at the primary file", () => {
    const state = after(update(["a.txt", "b.txt"], { primary_file: "b.txt" }));
    expect(state.isOpen).toBe(true);
    expect(shown(state)).toBe("b.txt");
    expect(titles(state)).toEqual(["a.txt", "b.txt"]);
  });

  it("show the first showable one where the primary file is not there", () => {
    expect(shown(after(update(["x.zip", "a.txt"], { primary_file: "missing" })))).toBe("a.txt");
  });

  it("put what cannot be shown last, and do not open for it alone", () => {
    expect(titles(after(update(["x.zip", "a.txt"])))).toEqual(["a.txt", "x.zip"]);
    expect(after(update(["x.zip"])).tabs).toEqual([]);
  });

  it("stay away where the result or the person says so", () => {
    expect(after(update(["a.txt"], { open_canvas: false })).isOpen).toBe(false);
    expect(canvas.applyFiles(start, update(["a.txt"]), false)).toEqual(start);
  });

  it("replace what results showed, but not what the person keeps or opened", () => {
    let state = after(update(["a.txt", "b.txt"]));
    state = canvas.keep(state, canvas.fileTabId("a.txt"), true);
    state = canvas.openFile(state, { key: "mine", name: "mine.txt", mime: "text/plain", size: 1 });
    state = canvas.applyFiles(state, update(["c.txt"], {}, "call-2"), true);
    expect(titles(state)).toEqual(["a.txt", "mine.txt", "c.txt"]);
    expect(shown(state)).toBe("c.txt");
  });

  it("are appended beside the tabs that are there", () => {
    const state = after(update(["a.txt"]), update(["b.txt"], { mode: "append" }, "call-2"));
    expect(titles(state)).toEqual(["a.txt", "b.txt"]);
    expect(shown(state)).toBe("b.txt");
  });

  it("are split off into a second pane, and the first keeps what it shows", () => {
    const state = after(update(["a.txt"]), update(["b.txt"], { mode: "split" }, "call-2"));
    expect(shown(state, "main")).toBe("a.txt");
    expect(shown(state, "side")).toBe("b.txt");
    expect(shown(after(update(["a.txt"], { mode: "split" })), "main")).toBe("a.txt");
  });

  it("end a split when they replace both panes", () => {
    const split = after(update(["a.txt"]), update(["b.txt"], { mode: "split" }, "call-2"));
    const state = canvas.applyFiles(split, update(["c.txt"], {}, "call-3"), true);
    expect(canvas.hasSplit(state)).toBe(false);
    expect(titles(state)).toEqual(["c.txt"]);
  });

  it("are new versions where the name is known", () => {
    const state = after(update(["a.txt"]), update(["a.txt"], {}, "call-2"));
    const tab = state.tabs[0] as FileTab;
    expect(state.tabs).toHaveLength(1);
    expect(tab.versions.map((each) => each.call)).toEqual(["call-1", "call-2"]);
    expect(tab.shown).toBe(1);
  });

  it("do not take an older version away from who looks at it", () => {
    const id = canvas.fileTabId("a.txt");
    let state = canvas.showVersion(after(update(["a.txt"]), update(["a.txt"], {}, "call-2")), id, 0);
    state = canvas.applyFiles(state, update(["a.txt"], { mode: "append" }, "call-3"), true);
    expect((state.tabs[0] as FileTab).shown).toBe(0);
    expect((state.tabs[0] as FileTab).versions).toHaveLength(3);
  });

  it("are counted where there are too many for tabs", () => {
    const names = Array.from({ length: canvas.TABS_OF_RESULT_MAX + 5 }, (_, at) => `${at}.txt`);
    const state = after(update(names));
    expect(state.tabs).toHaveLength(canvas.TABS_OF_RESULT_MAX);
    expect(state.leftOut).toBe(5);
  });

  it("have one tab for two files of one name in one result", () => {
    const twice = update(["a.txt"]);
    twice.files.push({ ...twice.files[0]!, key: "second" });
    const tab = after(twice).tabs[0] as FileTab;
    expect(tab.versions.map((each) => each.key)).toEqual(["call-1/a.txt", "second"]);
  });
});

describe("walking", () => {
  const three = after(update(["a.txt", "b.txt", "c.txt"]));

  it("goes around the end in both directions", () => {
    expect(shown(canvas.step(three, -1))).toBe("c.txt");
    expect(shown(canvas.step(canvas.step(three, 1), 1))).toBe("c.txt");
    expect(canvas.step(start, 1)).toEqual(start);
  });

  it("shows the neighbour of a closed tab", () => {
    const middle = canvas.close(canvas.show(three, canvas.fileTabId("b.txt")), canvas.fileTabId("b.txt"));
    expect(shown(middle)).toBe("c.txt");
    expect(shown(canvas.close(middle, canvas.fileTabId("c.txt")))).toBe("a.txt");
  });

  it("moves tabs between the panes, and the last of the main pane stays", () => {
    const moved = canvas.moveToOther(three, canvas.fileTabId("a.txt"));
    expect(titles(moved, "side")).toEqual(["a.txt"]);
    expect(shown(moved, "main")).toBe("b.txt");
    const back = canvas.moveToOther(moved, canvas.fileTabId("a.txt"));
    expect(canvas.hasSplit(back)).toBe(false);
    const one = after(update(["a.txt"]));
    expect(canvas.moveToOther(one, canvas.fileTabId("a.txt"))).toEqual(one);
  });

  it("moves the side pane over when the main one runs empty", () => {
    const split = after(update(["a.txt"]), update(["b.txt"], { mode: "split" }, "call-2"));
    const state = canvas.close(split, canvas.fileTabId("a.txt"));
    expect(titles(state, "main")).toEqual(["b.txt"]);
    expect(shown(state, "main")).toBe("b.txt");
  });
});

describe("dashboards", () => {
  const open = (members: Record<string, unknown>, server?: string): canvas.CanvasEvent => ({
    canvas: { open: true, id: "d", url: "http://127.0.0.1:9/", ...members },
    ...(server === undefined ? {} : { server }),
  });
  const opened = (...events: canvas.CanvasEvent[]): CanvasState =>
    events.reduce((state, event) => canvas.applyDashboard(state, "s1", event), start);
  const dashboard = (
    members: Partial<components["schemas"]["Dashboard"]>,
  ): components["schemas"]["Dashboard"] => ({
    id: "d",
    session: "s1",
    server: "demo",
    url: "http://127.0.0.1:9/",
    persistence: "session",
    is_open: true,
    has_token: true,
    updated_at: "",
    ...members,
  });

  it("have a tab per id, which later results change in place", () => {
    let state = canvas.applyDashboard(start, "s1", open({ title: "One", persistence: "pinned" }));
    state = canvas.applyDashboard(state, "s1", open({ title: "Two" }));
    expect(state.tabs).toHaveLength(1);
    expect(state.tabs[0]).toMatchObject({ title: "Two", round: 2, persistence: "pinned" });
    expect(canvas.applyDashboard(state, "s1", open({ open: false })).tabs).toEqual([]);
  });

  it("have a tab per server, also where two have the same id", () => {
    const two = opened(open({ title: "One" }, "a"), open({ title: "Two" }, "b"), open({ title: "One, later" }, "a"));
    expect(titles(two)).toEqual(["One, later", "Two"]);
    expect(new Set(two.tabs.map((tab) => tab.id)).size).toBe(2);
    const entered = canvas.enterSession(two, "s1", [dashboard({ server: "a" }), dashboard({ server: "c", title: "Three" })]);
    expect(titles(entered)).toEqual(["One, later", "Two", "Three"]);
  });

  it("close when the gateway says so, and only the one that it names", () => {
    const two = opened(open({ title: "One" }, "a"), open({ title: "Two" }, "b"));
    const closed = (id: string, server?: string) => open({ open: false, id, url: undefined }, server);
    expect(titles(canvas.applyDashboard(two, "s1", closed("d", "a")))).toEqual(["Two"]);
    expect(canvas.applyDashboard(two, "s1", closed("d", "c"))).toEqual(two);
    expect(canvas.applyDashboard(two, "s1", closed("other", "a"))).toEqual(two);
    expect(canvas.applyDashboard(two, "s2", closed("d", "a"))).toEqual(two);
  });

  it("that are pinned are one in all sessions, and close in all", () => {
    const pinned = opened(open({ title: "One", persistence: "pinned" }, "a"));
    const there = canvas.enterSession(pinned, "s2", []);
    const changed = canvas.applyDashboard(there, "s2", open({ title: "Two" }, "a"));
    expect(changed.tabs).toEqual([expect.objectContaining({ title: "Two", session: "s2", id: pinned.tabs[0]?.id })]);
    expect(canvas.applyDashboard(there, "s2", open({ open: false }, "a")).tabs).toEqual([]);
    expect(canvas.applyDashboard(there, "s2", open({ open: false }, "b"))).toEqual(there);
  });

  it("are the same where only one side says which server", () => {
    const unsaid = opened(open({ title: "One" }));
    expect(canvas.enterSession(unsaid, "s1", [dashboard({})]).tabs).toHaveLength(1);
    const said = canvas.applyDashboard(unsaid, "s1", open({ title: "Two" }, "demo"));
    expect(said.tabs).toEqual([expect.objectContaining({ title: "Two", server: "demo", round: 2 })]);
    expect(canvas.applyDashboard(said, "s1", open({ open: false })).tabs).toEqual([]);
  });

  it("keep what a later result does not say again", () => {
    const state = opened(open({ title: "One", persistence: "pinned", type: "iframe" }, "a"), open({ url: undefined }, "a"));
    expect(state.tabs[0]).toMatchObject({ title: "One", persistence: "pinned", url: "http://127.0.0.1:9/", server: "a" });
  });

  it("stay when results replace, and replace files themselves where asked", () => {
    const state = canvas.applyDashboard(after(update(["a.txt"])), "s1", open({ mode: "replace" }));
    expect(titles(state)).toEqual(["d"]);
    expect(titles(canvas.applyFiles(state, update(["b.txt"]), true))).toEqual(["d", "b.txt"]);
  });

  it("stand beside the current tab in split mode", () => {
    const state = canvas.applyDashboard(after(update(["a.txt"])), "s1", open({ mode: "split" }));
    expect(shown(state, "side")).toBe("d");
  });

  it("come back by their persistence", () => {
    const all = [
      dashboard({ id: "gone", persistence: "ephemeral" }),
      dashboard({ id: "here" }),
      dashboard({ id: "elsewhere", session: "s2" }),
      dashboard({ id: "always", session: "s2", persistence: "pinned" }),
      dashboard({ id: "closed", is_open: false }),
    ];
    const state = canvas.enterSession(start, "s1", all);
    expect(titles(state)).toEqual(["here", "always"]);
    expect(state.isOpen).toBe(true);
    expect(titles(canvas.enterSession(state, "s2", all))).toEqual(["always", "elsewhere"]);
  });

  it("without an id are nothing", () => {
    expect(canvas.applyDashboard(start, "s1", open({ id: "" }))).toEqual(start);
  });
});

describe("apps", () => {
  const app = (call: string) => ({
    session: "s1",
    call,
    server: "monitor",
    tool: "stats",
    resourceUri: "ui://x",
    title: "Stats",
  });

  it("have a tab per call, and the oldest go when there are too many", () => {
    let state = start;
    for (let at = 0; at < canvas.APP_TABS_MAX + 2; at += 1) state = canvas.applyApp(state, app(`c${at}`));
    expect(state.tabs).toHaveLength(canvas.APP_TABS_MAX);
    expect(state.tabs[0]?.id).toBe("app:c2");
    expect(canvas.applyApp(state, app("c5")).tabs).toHaveLength(canvas.APP_TABS_MAX);
  });
});

describe("versions", () => {
  it("of the session join in the order of the list, and the shown one stays", () => {
    const id = canvas.fileTabId("a.txt");
    const known = ["old", "call-1/a.txt", "new"].map((key) => ({ key, name: "a.txt", mime: "t", size: 1 }));
    const tab = canvas.learnVersions(after(update(["a.txt"])), id, known).tabs[0] as FileTab;
    expect(tab.versions.map((each) => each.key)).toEqual(["old", "call-1/a.txt", "new"]);
    expect(tab.shown).toBe(1);
  });

  it("go when their file is deleted, the tab with the last", () => {
    const two = after(update(["a.txt"]), update(["a.txt"], {}, "call-2"));
    const one = canvas.forgetFile(two, "call-2/a.txt");
    expect((one.tabs[0] as FileTab).shown).toBe(0);
    expect(canvas.forgetFile(one, "call-1/a.txt").tabs).toEqual([]);
  });
});
