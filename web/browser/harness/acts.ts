// What a person does on the page, by the names that everybody hears: one place to mend when a name
// changes.
import { expect } from "vitest";
import type { FrameLocator, Locator, Page } from "playwright-core";

/** The fragment of a tool, with arguments where given. */
export function toolAt(server: string, tool: string, session: string, given?: Record<string, unknown>): string {
  const query = new URLSearchParams({ session });
  if (given !== undefined) query.set("args", JSON.stringify(given));
  return `/tool/${server}/${tool}?${query.toString()}`;
}

export function canvasOf(page: Page): Locator {
  return page.getByRole("complementary", { name: "Canvas" });
}

/** Whether the canvas has its column; a hidden one keeps its width, out of sight. */
export async function isCanvasOpen(page: Page): Promise<boolean> {
  return (await page.getByRole("button", { name: "Hide the canvas" }).count()) > 0;
}

export function mainOf(page: Page): Locator {
  return page.getByRole("main");
}

/** The tab of what is shown, in any pane. */
export function tabOf(page: Page, name: string): Locator {
  return canvasOf(page).getByRole("tab", { name, exact: true });
}

/** Names of the tabs of a pane, in their order. */
export async function tabsIn(page: Page, pane: "Main pane" | "Second pane"): Promise<string[]> {
  const tabs = canvasOf(page).getByRole("region", { name: pane }).getByRole("tab");
  return (await tabs.allInnerTexts()).map((text) => text.trim());
}

/** Shows one of the open things and hands back its panel. */
export async function openTab(page: Page, name: string): Promise<Locator> {
  await tabOf(page, name).click();
  const panel = canvasOf(page).getByRole("tabpanel", { name, exact: true });
  await panel.waitFor();
  return panel;
}

/** What a panel shows from the sandbox's origin. */
export function stageOf(panel: Locator): FrameLocator {
  return panel.locator("iframe").contentFrame();
}

/** Runs the tool that is on the screen and waits for the end of the call. */
export async function runTool(page: Page): Promise<void> {
  await mainOf(page).getByRole("button", { name: "Run", exact: true }).click();
  await resultOf(page).getByRole("status").filter({ hasText: /Done|[Ff]ailed|[Ee]rror/ }).first().waitFor();
}

/** The result on the screen. */
export function resultOf(page: Page): Locator {
  return mainOf(page).getByRole("region", { name: /^Result of / });
}

/** Waits until the page has the events of its session. */
export async function waitUntilLive(page: Page): Promise<void> {
  await page.getByRole("banner").getByRole("status").filter({ hasText: "live" }).waitFor();
}

/** Waits until the element is on the screen. `expect` of Vitest has no such matcher. */
export async function expectShown(locator: Locator): Promise<void> {
  await locator.first().waitFor({ state: "visible" });
}

export async function expectGone(locator: Locator): Promise<void> {
  await expect.poll(() => locator.count()).toBe(0);
}
