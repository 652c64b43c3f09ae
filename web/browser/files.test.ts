// Files of a person: into the session by picking and by dropping, and from there into a tool.
import { expect, test } from "vitest";
import { expectShown, mainOf, resultOf, runTool, toolAt } from "./harness/acts";
import { useGateway, visit } from "./harness/visit";

const gateway = useGateway();
const WORDS = "first line\nsecond line\n";

test("a picked file is uploaded, offered by the form and read by the tool", async () => {
  const session = await gateway().newSession();
  const { page } = await visit(gateway(), { at: toolAt("shelf", "read_file", session) });
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("navigation").getByRole("button", { name: /^Upload/ }).click();
  await (await chooser).setFiles({ name: "letter.txt", mimeType: "text/plain", buffer: Buffer.from(WORDS) });
  await expectShown(page.getByRole("navigation").getByRole("button", { name: /^letter.txt/ }));

  await mainOf(page).getByRole("button", { name: /file/i }).filter({ hasNotText: /Run/ }).first().click();
  await page.getByRole("menuitem", { name: /letter.txt/ }).click();
  await expect.poll(() => mainOf(page).getByRole("textbox", { name: /^filename/ }).inputValue()).toBe("letter.txt");
  await runTool(page);
  await expectShown(resultOf(page).getByText(/23 characters, the first line is first line/));
});

test("a dropped file is uploaded", async () => {
  const session = await gateway().newSession();
  const { page } = await visit(gateway(), { at: toolAt("demo", "echo", session) });
  const column = page.getByRole("navigation", { name: /Servers, tools/ });
  await column.waitFor();
  const data = await page.evaluateHandle((words) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([words], "dropped.csv", { type: "text/csv" }));
    return transfer;
  }, WORDS);
  for (const type of ["dragenter", "dragover", "drop"]) await column.getByRole("searchbox").dispatchEvent(type, { dataTransfer: data });
  await expectShown(column.getByRole("button", { name: /^dropped.csv/ }));
  const files = await gateway().api<{ items: { name?: string; filename?: string }[] }>(`/api/sessions/${session}/files`);
  expect(JSON.stringify(files)).toContain("dropped.csv");
});

test("forms and JSON say the same, to the digit", async () => {
  const session = await gateway().newSession();
  const { page } = await visit(gateway(), { at: toolAt("shelf", "order", session) });
  const main = mainOf(page);
  await main.getByRole("textbox", { name: /^name/ }).fill("Ada");
  await main.getByRole("button", { name: "Add items" }).click();
  await main.getByRole("button", { name: "Add an item" }).click();
  await main.getByRole("textbox", { name: /^product/ }).fill("tea");
  await main.getByText("large", { exact: true }).click();
  await main.getByRole("textbox", { name: /^number/ }).fill("12345678901234567890.10");
  await main.getByText("JSON", { exact: true }).click();
  const editor = main.locator(".cm-content");
  await expectShown(editor.getByText("12345678901234567890.10"));
  await main.getByText("Form", { exact: true }).click();
  expect(await main.getByRole("textbox", { name: /^number/ }).inputValue()).toBe("12345678901234567890.10");
  await runTool(page);
  await expectShown(resultOf(page).getByRole("treeitem", { name: /name : "Ada"/ }));
  // The server's language rounds such a number; what was sent to it was exact.
  const { items } = await gateway().api<{ items: { id: string }[] }>(`/api/calls?session=${session}`);
  expect(await gateway().text(`/api/calls/${items[0]?.id}`)).toMatch(/"number": ?12345678901234567890\.10\b/);
});

test("what is missing is said at the field, and nothing is called", async () => {
  const session = await gateway().newSession();
  const { page } = await visit(gateway(), { at: toolAt("shelf", "order", session) });
  await mainOf(page).getByRole("button", { name: "Run", exact: true }).click();
  await expectShown(mainOf(page).getByText(/required|needed|missing/i));
  const calls = await gateway().api<{ items: unknown[] }>(`/api/calls?session=${session}`);
  expect(calls.items).toEqual([]);
});

test.each(["reduce", "no-preference"] as const)("what a long form leads to comes into view (motion: %s)", async (reducedMotion) => {
  const session = await gateway().newSession();
  const { page } = await visit(gateway(), { at: toolAt("shelf", "order", session), viewport: { width: 1440, height: 620 } });
  await page.emulateMedia({ reducedMotion });
  const main = mainOf(page);
  await main.getByRole("textbox", { name: /^name/ }).fill("Ada");
  await runTool(page);
  const views = resultOf(page).getByRole("tablist", { name: "Views of the result" });
  const isSeen = () =>
    views.evaluate((element) => {
      const column = element.closest(".tool-scroll")?.getBoundingClientRect();
      const { top, bottom } = element.getBoundingClientRect();
      return column !== undefined && top >= column.top && bottom + 80 <= column.bottom;
    });
  await expect.poll(isSeen).toBe(true);
  // The focus stays where the person left it, and so does the form when the person goes back to it.
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Run");
  await main.getByRole("textbox", { name: /^name/ }).focus();
  await page.keyboard.press("End");
  await main.getByRole("textbox", { name: /^name/ }).fill("Grace");
  expect(await isSeen()).toBe(false);
});
