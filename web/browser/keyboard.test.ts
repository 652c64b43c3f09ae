// The page without a mouse: every step of the usual way by keys alone, and the shortcuts.
import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { canvasOf, expectShown, isCanvasOpen, mainOf, resultOf, waitUntilLive } from "./harness/acts";
import { useGateway, visit } from "./harness/visit";

const gateway = useGateway();

/** Presses Tab until the focus is on something with this name, and says what it went by. */
async function tabTo(page: Page, name: RegExp, key = "Tab"): Promise<void> {
  const passed: string[] = [];
  for (let step = 0; step < 120; step += 1) {
    await page.keyboard.press(key);
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      const labelled = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : undefined;
      return element?.getAttribute("aria-label") ?? labelled ?? element?.textContent?.trim().slice(0, 60) ?? "";
    });
    if (name.test(focused)) return;
    passed.push(focused);
  }
  throw new Error(`the focus never came to ${name}; it was on ${passed.join(" | ")}`);
}

test("from the palette to the result and the canvas", async () => {
  const { page } = await visit(gateway());
  await waitUntilLive(page);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("sales_report");
  await expectShown(page.getByRole("option", { name: /The year's report/, selected: true }));
  await page.keyboard.press("Enter");
  await expectShown(mainOf(page).getByRole("heading", { name: "The year's report" }));
  await page.keyboard.press("Control+Enter");
  await expectShown(resultOf(page).getByRole("status").filter({ hasText: "Done" }));

  // Tabs of the canvas move with the arrows.
  const tabs = canvasOf(page).getByRole("tab");
  await expectShown(tabs);
  await canvasOf(page).getByRole("tab", { selected: true }).focus();
  const first = await canvasOf(page).getByRole("tab", { selected: true }).innerText();
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => canvasOf(page).getByRole("tab", { selected: true }).innerText()).not.toBe(first);
});

test("a form is filled and run by Tab and Enter alone", async () => {
  const { page } = await visit(gateway());
  await waitUntilLive(page);
  await page.keyboard.press("/");
  await page.keyboard.type("weather_stat");
  await tabTo(page, /All weather stations/);
  await page.keyboard.press("Enter");
  await expectShown(mainOf(page).getByRole("heading", { name: "All weather stations" }));
  await tabTo(page, /^Run/);
  await page.keyboard.press("Enter");
  await expectShown(resultOf(page).getByRole("status").filter({ hasText: "Done" }));
  await tabTo(page, /^Result$/);
  await page.keyboard.press("ArrowRight");
  await expectShown(resultOf(page).getByRole("tabpanel", { name: "Model" }));
});

test("columns, help and dialogs answer to their keys, and give the focus back", async () => {
  const { page } = await visit(gateway());
  await waitUntilLive(page);
  const left = page.getByRole("navigation", { name: /Servers, tools/ });
  await page.keyboard.press("[");
  await expect.poll(() => left.isVisible()).toBe(false);
  await page.keyboard.press("[");
  await expectShown(left);
  await page.keyboard.press("]");
  await expect.poll(() => isCanvasOpen(page)).toBe(true);
  await page.keyboard.press("]");
  await expect.poll(() => isCanvasOpen(page)).toBe(false);
  const theme = page.getByRole("button", { name: /^Theme/ });
  await theme.focus();
  await page.keyboard.press("?");
  await expectShown(page.getByRole("dialog"));
  await page.keyboard.press("Escape");
  await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  expect(await theme.evaluate((button) => button === document.activeElement)).toBe(true);
});

test("the focus is always seen", async () => {
  const { page } = await visit(gateway());
  await waitUntilLive(page);
  for (let step = 0; step < 12; step += 1) {
    await page.keyboard.press("Tab");
    const unseen = () => page.evaluate(() => {
      const element = document.activeElement;
      if (!(element instanceof HTMLElement) || element === document.body) return "";
      const style = getComputedStyle(element);
      const around = element.parentElement ? getComputedStyle(element.parentElement) : style;
      const isSeen =
        [style, around].some((each) => each.outlineStyle !== "none" || each.boxShadow !== "none") ||
        (element.tagName === "INPUT" && around.borderTopStyle === "solid" && around.borderTopColor !== "rgba(0, 0, 0, 0)");
      return isSeen ? "" : element.outerHTML.slice(0, 200);
    });
    await expect.poll(unseen).toBe("");
  }
});
