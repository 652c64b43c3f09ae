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

test("numbers stand beside their lines, also where lines are wrapped", async () => {
  const session = await gateway().newSession();
  const lines = Array.from({ length: 5000 }, (_, at) => `${at + 1}. ${"some words and more ".repeat((at * 7) % 23)}`);
  await gateway().upload(session, "long.txt", lines.join("\n"));
  const { page } = await visit(gateway(), { at: toolAt("demo", "echo", session) });
  await page.getByRole("navigation").getByRole("button", { name: /^long.txt/ }).click();
  const panel = canvasOf(page).getByRole("tabpanel", { name: "long.txt" });
  await expectShown(panel.getByRole("button", { name: "Lines wrapped" }));

  /** The numbers that are drawn, each with how far it stands from the line that begins with it. */
  const distances = () =>
    panel.evaluate((element) => {
      const tops = new Map([...element.querySelectorAll(".cm-line")].map((line) => [Number.parseInt(line.textContent ?? "", 10), line.getBoundingClientRect().top]));
      const numbers = [...element.querySelectorAll<HTMLElement>(".cm-lineNumbers .cm-gutterElement")].filter((each) => each.style.visibility !== "hidden");
      return numbers.map((each) => [Number(each.textContent), Math.abs(each.getBoundingClientRect().top - (tops.get(Number(each.textContent)) ?? Infinity))] as const);
    });
  const expectBeside = async (first: number, last: number) => {
    const isBeside = async () => {
      const all = await distances();
      const isThere = all.some(([number]) => number >= first && number <= last);
      return isThere && all.length > 5 ? all.filter(([, distance]) => distance > 0.3) : "not drawn";
    };
    await expect.poll(isBeside).toEqual([]);
  };
  await expectBeside(1, 1);
  const scroller = panel.locator(".cm-scroller");
  const scrollTo = (share: number) => scroller.evaluate((element, part) => void (element.scrollTop = part * element.scrollHeight), share);
  await scrollTo(0.5);
  await expectBeside(2000, 3000);
  await page.setViewportSize({ width: 1100, height: 800 });
  await expectBeside(2000, 3000);
  await scrollTo(1);
  await expectBeside(4900, 5000);
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
