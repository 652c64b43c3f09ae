// Every viewer with the demo's own files, in the order of one result, and what each is for.
import { expect, test } from "vitest";
import { canvasOf, expectShown, mainOf, openTab, runTool, stageOf, toolAt } from "./harness/acts";
import { useGateway, visit } from "./harness/visit";

const gateway = useGateway();

test("each kind of file has its viewer", async () => {
  const session = await gateway().newSession();
  const { page } = await visit(gateway(), { at: toolAt("demo", "every_file", session) });
  await runTool(page);

  const picture = stageOf(await openTab(page, "takings.png"));
  await expectShown(picture.getByRole("img", { name: "takings.png" }));
  await picture.getByRole("button", { name: /^Own size/ }).click();
  await expectShown(picture.getByRole("status").filter({ hasText: "100 %" }));
  await picture.getByRole("button", { name: /^Zoom in/ }).click();
  await expectShown(picture.getByRole("status").filter({ hasText: "125 %" }));

  await expectShown(stageOf(await openTab(page, "takings.svg")).getByRole("img", { name: "takings.svg" }));

  const pdf = stageOf(await openTab(page, "invoice.pdf"));
  await expectShown(pdf.getByText("of 1"));
  await pdf.getByRole("searchbox", { name: "Find in the PDF" }).fill("invoice");
  await expectShown(pdf.getByRole("status").filter({ hasText: /of [1-9]/ }));

  const html = await openTab(page, "report.html");
  await expectShown(html.getByText(/^Shown without scripts/));
  await expectShown(stageOf(html).locator("iframe").contentFrame().getByRole("heading", { level: 1 }));

  const markdown = await openTab(page, "handbook.md");
  await expectShown(markdown.getByRole("heading", { name: "Handbook" }));
  await markdown.getByRole("button", { name: "Source" }).click();
  await expectShown(markdown.getByText("# Handbook"));

  const table = await openTab(page, "sales.csv");
  await expectShown(table.getByRole("status").filter({ hasText: "5,000 rows" }));
  await table.getByRole("searchbox", { name: "Only rows with these words" }).fill("TEA-SENCHA");
  await expect.poll(() => table.getByRole("status").first().innerText()).toMatch(/of 5,000/);
  await table.getByRole("columnheader", { name: "quantity" }).getByRole("button").click();

  const tree = await openTab(page, "catalog.json");
  await expectShown(tree.getByRole("treeitem", { name: /shop : "Larkspur/ }));
  await tree.getByRole("searchbox").fill("TEA-SENCHA");
  await expect.poll(() => tree.getByRole("status").first().innerText()).toMatch(/1/);

  const log = await openTab(page, "web.log");
  await expectShown(log.getByRole("status").filter({ hasText: "20,000 lines" }));
  await log.getByRole("button", { name: /^info/ }).click();
  await expectShown(log.getByRole("status").filter({ hasText: /^60\b/ }));

  await expectShown(stageOf(await openTab(page, "bell.wav")).locator("audio"));

  const diff = await openTab(page, "prices.diff");
  await expectShown(diff.getByRole("button", { name: /prices.toml 3 added, 3 removed/ }));

  const bytes = await openTab(page, "readings.bin");
  await expectShown(bytes.getByText("00000000"));
});

test("next and previous go through what is open", async () => {
  const session = await gateway().newSession();
  const { page } = await visit(gateway(), { at: toolAt("demo", "sales_report", session) });
  await runTool(page);
  const canvas = canvasOf(page);
  const selected = () => canvas.getByRole("tab", { selected: true }).innerText();
  const first = (await selected()).trim();
  await canvas.getByRole("button", { name: "Next", exact: true }).click();
  await expect.poll(selected).not.toBe(first);
  await canvas.getByRole("button", { name: "Previous", exact: true }).click();
  await expect.poll(async () => (await selected()).trim()).toBe(first);
});

test("versions of one name are compared", async () => {
  const session = await gateway().newSession();
  await gateway().upload(session, "notes.txt", "one\ntwo\nthree\n");
  await gateway().upload(session, "notes.txt", "one\n2\nthree\n");
  const { page } = await visit(gateway(), { at: toolAt("demo", "echo", session) });
  await page.getByRole("navigation").getByRole("button", { name: /^notes.txt/ }).click();
  await canvasOf(page).getByRole("button", { name: /^Versions of notes.txt/ }).click();
  await page.getByRole("menuitem", { name: /compare|changes|diff/i }).first().click();
  await expectShown(canvasOf(page).getByText(/two/));
});

test("a link to a file is made and taken back", async () => {
  const session = await gateway().newSession();
  await gateway().upload(session, "notes.txt", "words for a friend");
  const { page } = await visit(gateway(), { at: toolAt("demo", "echo", session) });
  await page.getByRole("navigation").getByRole("button", { name: /^notes.txt/ }).click();
  await canvasOf(page).getByRole("button", { name: "Link to this file" }).click();
  const links = page.getByRole("dialog", { name: "Links to notes.txt" });
  await links.getByRole("button", { name: "Copy a link" }).click();
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(copied).toMatch(/^http.*token=/);
  const link = await copied();
  expect(await (await fetch(link)).text()).toBe("words for a friend");
  await links.getByRole("button", { name: "Revoke this link" }).first().click();
  await expect.poll(async () => (await fetch(link)).status).toBe(404);
});

test("a file stands alone in a window of its own", async () => {
  const session = await gateway().newSession();
  const { page, context } = await visit(gateway(), { at: toolAt("demo", "sales_export", session) });
  await runTool(page);
  await openTab(page, "sales.csv");
  const opened = context.waitForEvent("page");
  await canvasOf(page).getByRole("button", { name: "Open in a window" }).click();
  const alone = await opened;
  await expectShown(alone.getByRole("status").filter({ hasText: "5,000 rows" }));
  expect(await mainOf(alone).getByRole("button", { name: "Run" }).count()).toBe(0);
});
