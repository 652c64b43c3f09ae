// The demo page of this build, on the real gateway's own origin, with its three tools.
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launch } from "./support/chromium.js";
import { connectClient, type McpClient } from "./support/clients.js";
import { Program, program } from "./support/program.js";

const folder = join(import.meta.dirname, "../dist/demo");
const MIME: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };
const POLICY =
  "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:";

describe.skipIf(!program)("the demo page", () => {
  let browser: Browser;
  let gateway: Program;
  let client: McpClient;
  let page: Page;

  beforeAll(async () => {
    gateway = await new Program([]).start();
    // A page that a test hands out counts as one of the internet, which may not reach this machine.
    browser = await launch(["--disable-features=LocalNetworkAccessChecks"]);
    client = await connectClient("2026-07-28", gateway.url, gateway.key("anna"));
    const context = await browser.newContext();
    // The gateway may have a demo page of its own inside; this is the one that was just built.
    await context.route(`${gateway.url}/demo/**`, async (route) => {
      const path = new URL(route.request().url()).pathname.replace(/^\/demo\//, "") || "index.html";
      const headers = {
        "Content-Type": MIME[extname(path)] ?? "application/octet-stream",
        "Content-Security-Policy": POLICY,
      };
      await route.fulfill({ body: await readFile(join(folder, path)), headers });
    });
    await context.addInitScript((key) => sessionStorage.setItem("resultant.token", key), gateway.key("anna"));
    page = await context.newPage();
    await page.goto(`${gateway.url}/demo/`);
    await client.until((names) => names.includes("page_board_as_file"));
  });
  afterAll(async () => {
    await client.close();
    await browser.close();
    await gateway.end();
  });

  test("says who it is connected for", async () => {
    expect(await page.getByRole("status").textContent()).toBe("Connected as anna");
  });

  test("its state is read", async () => {
    const { structuredContent } = await client.call("page_read_board");
    expect(structuredContent).toMatchObject({ loaves: 186, sum: "619.90" });
  });

  test("its state is changed, and the person sees it", async () => {
    const result = await client.call("page_change_order", { bread: "rye", loaves: 30, note: "sliced" });
    expect(JSON.stringify(result.content)).toContain("sliced");
    expect(await page.getByRole("row", { name: /^rye/ }).getByRole("cell").allTextContents()).toEqual([
      "30",
      "4.20",
      "126.00",
      "sliced",
    ]);
    const refused = await client.call("page_change_order", { bread: "rye", loaves: 1000 });
    expect(refused.isError).toBe(true);
  });

  test("it returns a table and a picture", async () => {
    const table = await client.call("page_board_as_file", { as: "csv" });
    expect(JSON.stringify(table.content)).toContain("board.csv");
    const picture = await client.call("page_board_as_file", { as: "png" });
    expect(picture.content.some((block) => block["type"] === "image" && block["mimeType"] === "image/png")).toBe(true);
    if (process.env["RESULTANT_TEST_PICTURES"])
      await pictures(page, picture.content, process.env["RESULTANT_TEST_PICTURES"]);
  });
});

/** For whoever wants to look. */
async function pictures(page: Page, content: Record<string, unknown>[], into: string): Promise<void> {
  const { writeFile } = await import("node:fs/promises");
  const chart = content.find((block) => block["type"] === "image");
  await writeFile(join(into, "chart.png"), Buffer.from(String(chart?.["data"]), "base64"));
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(into, `demo-${colorScheme}.png`), fullPage: true });
  }
}
