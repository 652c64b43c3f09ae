// The main states in both themes: what axe-core says about them, and a picture of each.
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { canvasOf, expectShown, mainOf, openTab, resultOf, runTool, stageOf, toolAt, waitUntilLive } from "./harness/acts";
import { seriousFindings } from "./harness/axe";
import { takePicture } from "./harness/picture";
import { useGateway, visit } from "./harness/visit";

const apps = process.env.RESULTANT_TEST_NODE_MCP_APPS ?? "";
const monitor = join(apps, "node_modules/@modelcontextprotocol/server-system-monitor/dist/index.js");
const gateway = useGateway(apps === "" ? {} : { servers: { monitor: { command: process.execPath, args: [monitor, "--stdio"] } } });

interface State {
  name: string;
  at: (session: string) => string;
  reach: (page: Page) => Promise<void>;
}

const states: State[] = [
  { name: "home", at: (session) => `/?session=${session}`, reach: waitUntilLive },
  {
    name: "report",
    at: (session) => toolAt("demo", "sales_report", session),
    reach: async (page) => {
      await runTool(page);
      const panel = canvasOf(page).getByRole("tabpanel", { name: "report.html" });
      await expectShown(stageOf(panel).locator("iframe").contentFrame().getByRole("heading", { level: 1 }));
    },
  },
  {
    name: "chart",
    at: (session) => toolAt("demo", "every_file", session),
    reach: async (page) => {
      await runTool(page);
      await expectShown(stageOf(await openTab(page, "takings.png")).getByRole("img"));
    },
  },
  {
    name: "table",
    at: (session) => toolAt("demo", "sales_export", session),
    reach: async (page) => {
      await runTool(page);
      await expectShown((await openTab(page, "sales.csv")).getByRole("row"));
    },
  },
  {
    name: "model",
    at: (session) => toolAt("demo", "web_log", session),
    reach: async (page) => {
      await runTool(page);
      await resultOf(page).getByRole("tab", { name: "Model" }).click();
      await expectShown(resultOf(page).getByRole("tabpanel", { name: "Model" }).getByText(/tokens/));
    },
  },
  {
    name: "form",
    at: (session) => toolAt("shelf", "order", session, { customer: { name: "Ada" }, items: [{ product: "tea", count: 2 }] }),
    reach: async (page) => expectShown(mainOf(page).getByRole("textbox", { name: /^product/ })),
  },
  {
    name: "json-editor",
    at: (session) => toolAt("shelf", "order", session, { customer: { name: "Ada" } }),
    reach: async (page) => {
      await mainOf(page).getByText("JSON", { exact: true }).click();
      await expectShown(mainOf(page).locator(".cm-content"));
    },
  },
  {
    name: "error",
    at: (session) => toolAt("demo", "fail_with_details", session),
    reach: async (page) => {
      await runTool(page);
      await expectShown(resultOf(page).getByRole("alert"));
    },
  },
  {
    name: "palette",
    at: (session) => `/?session=${session}`,
    reach: async (page) => {
      await waitUntilLive(page);
      await page.keyboard.press("Control+k");
      await expectShown(page.getByRole("dialog", { name: "Command palette" }).getByRole("option"));
    },
  },
  {
    name: "dashboard",
    at: (session) => toolAt("demo", "live_dashboard", session),
    reach: async (page) => {
      await runTool(page);
      const frame = stageOf(canvasOf(page).getByRole("tabpanel", { name: "Shop floor, live" }));
      await expectShown(frame.getByRole("status").filter({ hasText: "live" }));
    },
  },
  {
    name: "markdown",
    at: (session) => toolAt("demo", "make_file", session, { kind: "markdown" }),
    reach: async (page) => {
      await runTool(page);
      await expectShown(canvasOf(page).getByRole("heading", { name: "Handbook" }));
    },
  },
  ...(apps === ""
    ? []
    : [
        {
          name: "app",
          at: (session: string) => toolAt("monitor", "get-system-info", session),
          reach: async (page: Page) => {
            await runTool(page);
            const panel = canvasOf(page).getByRole("tabpanel").filter({ has: page.locator("iframe") });
            await expectShown(stageOf(panel).locator("iframe").contentFrame().locator("canvas"));
          },
        },
      ]),
];

/** Frames of others are theirs to make accessible. */
const NOT_OURS = new Set(["dashboard", "app"]);

describe.each(["light", "dark"] as const)("%s", (theme) => {
  test.each(states)("$name", async ({ name, at, reach }) => {
    const session = await gateway().newSession();
    const { page } = await visit(gateway(), { at: at(session), theme, origins: [/^http:\/\/127\.0\.0\.1:/] });
    await reach(page);
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const [red = 0] = background.match(/[\d.]+/g)?.map(Number) ?? [];
    // Whatever way the colour is written, a dark page is dark.
    if (background.startsWith("rgb(")) expect(red < 128).toBe(theme === "dark");
    await takePicture(page, `${name}-${theme}`);
    expect(await seriousFindings(page, !NOT_OURS.has(name))).toEqual([]);
  });
});

test("the person's theme wins over the system's, and stays", async () => {
  const { page } = await visit(gateway(), { theme: "light" });
  await page.getByRole("button", { name: /^Theme/ }).click();
  await page.getByRole("menuitemradio", { name: /dark/i }).click();
  const isDark = () => page.evaluate(() => document.documentElement.dataset["theme"]);
  await expect.poll(isDark).toBe("dark");
  await page.reload();
  await expect.poll(isDark).toBe("dark");
});

test("a narrow window shows one column at a time", async () => {
  const session = await gateway().newSession();
  const at = toolAt("demo", "weather", session);
  const { page } = await visit(gateway(), { at, viewport: { width: 420, height: 800 } });
  await expectShown(mainOf(page).getByRole("button", { name: "Run", exact: true }));
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(420);
});
