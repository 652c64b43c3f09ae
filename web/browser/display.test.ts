// Where results go on the canvas: replace, append and split do what they say, and both the result
// and the person can keep it closed.
import { expect, test } from "vitest";
import { canvasOf, expectShown, isCanvasOpen, mainOf, runTool, tabOf, tabsIn, toolAt, waitUntilLive } from "./harness/acts";
import { artifact } from "./harness/gateway";
import { useGateway, visit } from "./harness/visit";

const gateway = useGateway();

function layFile(name: string, display: Record<string, unknown>, files = [`${name}.txt`]): void {
  const artifacts = files.map((file) => artifact(file, `the words of ${file}`, "text/plain"));
  gateway().layContract(name, { results: name, artifacts, display });
}

/** A visit in which the first file is on the canvas. */
async function withFirst(): ReturnType<typeof visit> {
  layFile("first", {});
  const session = await gateway().newSession();
  const opened = await visit(gateway(), { at: toolAt("shelf", "give", session, { name: "first" }) });
  await runTool(opened.page);
  await expectShown(tabOf(opened.page, "first.txt"));
  return opened;
}

async function give(opened: Awaited<ReturnType<typeof visit>>, name: string): Promise<void> {
  const { page } = opened;
  await mainOf(page).getByRole("textbox", { name: /^name/ }).fill(name);
  await runTool(page);
}

test("replace takes the place of what is there", async () => {
  const opened = await withFirst();
  layFile("second", { mode: "replace" });
  await give(opened, "second");
  await expectShown(tabOf(opened.page, "second.txt"));
  await expect.poll(() => tabsIn(opened.page, "Main pane")).toEqual(["second.txt"]);
});

test("what is kept stays when a result replaces the rest", async () => {
  const opened = await withFirst();
  await canvasOf(opened.page).getByRole("button", { name: "Keep when results replace the canvas" }).click();
  layFile("second", { mode: "replace" });
  await give(opened, "second");
  await expect.poll(() => tabsIn(opened.page, "Main pane")).toEqual(["first.txt", "second.txt"]);
});

test("append goes beside what is there, and is shown", async () => {
  const opened = await withFirst();
  layFile("second", { mode: "append" });
  await give(opened, "second");
  await expect.poll(() => tabsIn(opened.page, "Main pane")).toEqual(["first.txt", "second.txt"]);
  expect(await tabOf(opened.page, "second.txt").getAttribute("aria-selected")).toBe("true");
});

test("split shows both at once", async () => {
  const opened = await withFirst();
  layFile("second", { mode: "split" });
  await give(opened, "second");
  await expect.poll(() => tabsIn(opened.page, "Second pane")).toEqual(["second.txt"]);
  expect(await tabsIn(opened.page, "Main pane")).toEqual(["first.txt"]);
  await expectShown(opened.page.getByText("the words of first.txt"));
  await expectShown(opened.page.getByText("the words of second.txt"));
});

test("the primary file is shown first", async () => {
  layFile("many", { primary_file: "b.txt" }, ["a.txt", "b.txt", "c.txt"]);
  const session = await gateway().newSession();
  const { page } = await visit(gateway(), { at: toolAt("shelf", "give", session, { name: "many" }) });
  await runTool(page);
  await expect.poll(() => tabOf(page, "b.txt").getAttribute("aria-selected")).toBe("true");
});

test("a result can keep the canvas closed", async () => {
  layFile("quiet", { open_canvas: false });
  const session = await gateway().newSession();
  const { page } = await visit(gateway(), { at: toolAt("shelf", "give", session, { name: "quiet" }) });
  await runTool(page);
  await expectShown(mainOf(page).getByRole("button", { name: /^Show on the canvas: quiet.txt/ }));
  expect(await isCanvasOpen(page)).toBe(false);
});

test("a person can keep the canvas closed", async () => {
  layFile("loud", { open_canvas: true });
  const session = await gateway().newSession();
  const { page } = await visit(gateway(), { at: toolAt("shelf", "give", session, { name: "loud" }) });
  await page.getByRole("button", { name: "Show the canvas" }).click();
  await canvasOf(page).getByRole("checkbox", { name: /Open by itself/ }).uncheck();
  await page.getByRole("button", { name: "Close the canvas" }).click();
  await expect.poll(() => isCanvasOpen(page)).toBe(false);
  await runTool(page);
  await expectShown(mainOf(page).getByRole("button", { name: /^Show on the canvas: loud.txt/ }));
  expect(await isCanvasOpen(page)).toBe(false);
  // What is asked for is shown all the same.
  await mainOf(page).getByRole("button", { name: /^Show on the canvas: loud.txt/ }).click();
  await expectShown(tabOf(page, "loud.txt"));
});

test("files are open again after the page was loaded anew, without those that are gone", async () => {
  const opened = await withFirst();
  const { page } = opened;
  layFile("second", { mode: "split" }, ["second.txt", "gone.txt"]);
  await give(opened, "second");
  await expect.poll(() => tabsIn(page, "Second pane")).toEqual(["second.txt", "gone.txt"]);
  const session = await page.evaluate(() => sessionStorage.getItem("resultant.session"));
  const files = await gateway().api<{ items: { key: string; name: string }[] }>(`/api/sessions/${session}/files`);
  const gone = files.items.find((file) => file.name === "gone.txt");
  // The call's own record names the file still, and is not what this is about.
  await page.goto(`${gateway().url}/#${toolAt("demo", "echo", session ?? "")}`);
  await gateway().api(`/api/files/${gone?.key}`, { method: "DELETE" });
  await page.reload();
  await expect.poll(() => tabsIn(page, "Main pane")).toEqual(["first.txt"]);
  await expect.poll(() => tabsIn(page, "Second pane")).toEqual(["second.txt"]);
  await expectShown(page.getByText("the words of first.txt"));
  await expectShown(page.getByText("the words of second.txt"));
  // What was closed stays closed.
  await tabOf(page, "first.txt").press("Delete");
  await expect.poll(() => tabsIn(page, "Main pane")).toEqual(["second.txt"]);
  await page.reload();
  await expect.poll(() => tabsIn(page, "Main pane")).toEqual(["second.txt"]);
});

test("another session does not get them", async () => {
  const { page } = await withFirst();
  const other = await gateway().newSession();
  await page.goto(`${gateway().url}/#${toolAt("demo", "echo", other)}`);
  await page.reload();
  await waitUntilLive(page);
  expect(await isCanvasOpen(page)).toBe(false);
});
