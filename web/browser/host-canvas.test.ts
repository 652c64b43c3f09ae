// The canvas as an MCP App, in a host made of the official bridge: what it shows, what it asks for, and what
// strangers' files cannot do in it.
import type { FrameLocator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { expectShown, tabOf } from "./harness/acts";
import { findingsIn } from "./harness/axe";
import { Canary } from "./harness/canary";
import { connectAgent } from "./harness/client";
import { takePicture } from "./harness/picture";
import { newContext, useGateway, visit } from "./harness/visit";
import { scriptedHtml } from "./hostile/html";
import { hostileMarkdown, prototypeJson, unseenText } from "./hostile/text";
import type { Seen, Wanted } from "./host/page";
import { HostPage } from "./host/serve";

const gateway = useGateway({ resultant: { servers: { demo: { tools: { canvas: ["table", "stock"] } } } } });
let host: HostPage;
let page: Page | undefined;
const problems: string[] = [];

beforeAll(async () => {
  host = await HostPage.start();
});
afterAll(() => host.end());
afterEach(async () => {
  await page?.context().close();
  page = undefined;
  expect(problems.splice(0)).toEqual([]);
});

/** Lays a file into the user's default session. */
async function lay(name: string, content: string | Uint8Array): Promise<void> {
  const headers = { Authorization: `Bearer ${gateway().secret}` };
  // A text would say that it is plain.
  const body = new Blob([typeof content === "string" ? content : new Uint8Array(content)]);
  const response = await fetch(`${gateway().url}/api/sessions/default/files/${encodeURIComponent(name)}`, { method: "PUT", headers, body });
  expect(response.ok, await response.text()).toBe(true);
}

interface Opened {
  page: Page;
  app: FrameLocator;
  seen<Value>(look: (seen: Seen) => Value): Promise<Value>;
}

/** Calls a tool in the host and shows its view. */
async function open(wanted: Partial<Wanted>, viewport = { width: 900, height: 700 }): Promise<Opened> {
  const theme = wanted.theme ?? "light";
  // The host's theme is what counts, and not the system's.
  const context = await newContext({ theme: theme === "light" ? "dark" : "light", viewport });
  const opened = await context.newPage();
  page = opened;
  opened.setDefaultTimeout(15_000);
  opened.on("pageerror", (error) => problems.push(error.message));
  opened.on("console", (message) => {
    if (/Content Security Policy|TrustedHTML|Refused/i.test(message.text())) problems.push(message.text());
  });
  await opened.goto(host.url);
  await opened.evaluate((all) => window.openApp(all), { gateway: gateway().url, secret: gateway().secret, tool: "files_show", arguments: {}, theme, ...wanted });
  return {
    page: opened,
    app: opened.locator("iframe").contentFrame(),
    seen: async (look) => await opened.evaluate(`(${look.toString()})(window.seen)`),
  };
}

const show = (file: string, more: Partial<Wanted> = {}): Promise<Opened> => open({ arguments: { file }, ...more });

/** Serious findings of axe in the app's own frame. */
async function findings(opened: Page): Promise<string[]> {
  const frame = opened.frames().find((each) => each.url() === "about:srcdoc");
  if (frame === undefined) throw new Error("there is no app");
  return await findingsIn(frame);
}

describe("a table of 5,000 rows", () => {
  beforeAll(() => lay("sales.csv", salesCsv(5000)));

  test.each(["light", "dark"] as const)("is read by pages, %s", async (theme) => {
    const { app, page, seen } = await show("sales.csv", { theme });
    await expectShown(app.getByRole("heading", { name: "sales.csv" }));
    await expectShown(app.getByRole("cell", { name: "12345678901234567890" }));
    await expectShown(app.getByText("Rows 1 to 100"));
    await takePicture(page, `host-table-${theme}`);
    expect(await findings(page)).toEqual([]);
    // The model got a sentence.
    const result = await seen((all) => JSON.stringify(all.result?.content));
    expect(result).toContain("sales.csv");
    expect(result).not.toContain("Assam");
    // No read was for all of it.
    const reads = await seen((all) => all.reads);
    expect(reads).toEqual([expect.stringMatching(/&rows=1-101$/)]);
  });

  test("can be gone through by the keyboard", async () => {
    const { app, page } = await show("sales.csv");
    await expectShown(app.getByText("Rows 1 to 100"));
    await app.getByRole("button", { name: "Next rows" }).focus();
    await page.keyboard.press("Enter");
    await expectShown(app.getByText("Rows 101 to 200"));
    await app.getByRole("textbox", { name: "Go to number" }).focus();
    await page.keyboard.type("4,950");
    await page.keyboard.press("Enter");
    await expectShown(app.getByText("Rows 4,950 to 5,000, the last"));
    await expectShown(app.getByRole("rowheader", { name: "5000" }));
    expect(await app.getByRole("button", { name: "Next rows" }).isDisabled()).toBe(true);
  });

  test("is as high as it says, goes with the host's theme and to full screen", async () => {
    const { app, page, seen } = await show("sales.csv");
    await expectShown(app.getByText("Rows 1 to 100"));
    await expect.poll(() => seen((all) => all.heights.at(-1))).toBeGreaterThan(300);
    expect(await seen((all) => all.heights.at(-1))).toBeLessThan(600);
    const ground = () => app.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor);
    const light = await ground();
    await page.evaluate(() => window.seen.setTheme("dark"));
    await expect.poll(ground).not.toBe(light);
    await app.getByRole("button", { name: "Full screen" }).click();
    await page.locator("iframe.full").waitFor();
    await expect.poll(() => app.getByRole("button", { name: "Full screen" }).count()).toBe(0);
  });

  test("has a link to the page that opens nothing by itself", async () => {
    const { app, seen } = await show("sales.csv");
    await app.getByRole("button", { name: "Open in the canvas" }).click();
    await expect.poll(() => seen((all) => all.links)).toEqual([expect.stringMatching(/\/#\/file\/[\w-]+$/)]);
    const [link] = await seen((all) => all.links);
    expect(link?.startsWith(gateway().url)).toBe(true);
  });

  test("is shown by a page that is open on the session, too", async () => {
    const session = await gateway().newSession();
    const { page: own } = await visit(gateway(), { at: `/?session=${session}` });
    const capabilities = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } };
    const agent = await connectAgent(gateway(), session, capabilities);
    await agent.client.callTool({ name: "files_show", arguments: { file: "sales.csv" } });
    await expectShown(tabOf(own, "sales.csv"));
    await agent.end();
  });

  test("is read by tools where a host gives no resources", async () => {
    const { app, seen } = await show("sales.csv", { capabilities: { serverTools: {} } });
    await expectShown(app.getByRole("cell", { name: "12345678901234567890" }).or(app.getByRole("cell", { name: "Assam 1", exact: true })).first());
    expect(await seen((all) => all.reads)).toEqual([]);
  });

  test("by tools, too, no row is left out between two pages", async () => {
    const notes = Array.from({ length: 300 }, (_, at) => `Assam ${at + 1},${"a leaf of tea ".repeat(40)}`);
    await lay("notes.csv", ["tea,note", ...notes].join("\n"));
    const { app } = await show("notes.csv", { capabilities: { serverTools: {} } });
    const cell = (row: number) => app.getByRole("cell", { name: `Assam ${row}`, exact: true });
    await expectShown(cell(1));
    const numbers = () => app.getByRole("rowheader").allTextContents();
    const first = (await numbers()).map(Number);
    const last = first.at(-1) ?? 0;
    // A page of the tool's has less than is asked for.
    expect(last).toBeLessThan(100);
    await app.getByRole("button", { name: "Next rows" }).click();
    await expectShown(cell(last + 1));
    expect(Number((await numbers())[0])).toBe(last + 1);
    await app.getByRole("button", { name: "Previous rows" }).click();
    await expectShown(cell(1));
    expect((await numbers()).map(Number)).toEqual(first);
  });
});

describe("what is more than a gateway gives at once", () => {
  const long = "tea ".repeat(300_000);

  test("a script of one line is shown by its start", async () => {
    await lay("wide.js", `const first = "Assam", long = "${long}";`);
    const { app, page } = await show("wide.js");
    await expectShown(app.getByText("Line 1 is too long to be shown at once. This is only the start."));
    await expectShown(app.getByText('const first = "Assam", long = "tea tea'));
    expect(await app.getByRole("button", { name: "Next lines" }).count()).toBe(0);
    await takePicture(page, "host-part-light");
    expect(await findings(page)).toEqual([]);
  });

  test("and by tools part after part", async () => {
    await lay("wide.js", `const first = "Assam", long = "${long}";`);
    const { app } = await show("wide.js", { capabilities: { serverTools: {} } });
    await expectShown(app.getByText("Line 1, in part"));
    await expectShown(app.getByText('const first = "Assam"'));
    await app.getByRole("button", { name: "Next lines" }).click();
    await expectShown(app.getByText("This is a further part of it."));
    await app.getByRole("button", { name: "Previous lines" }).click();
    await expectShown(app.getByText('const first = "Assam"'));
  });

  test("JSON is shown by its values, and one that is too long is passed", async () => {
    await lay("wide.json", JSON.stringify({ first: "Assam", long, last: "Darjeeling" }));
    const { app } = await show("wide.json");
    await expectShown(app.getByText('.first = "Assam"'));
    await app.getByRole("button", { name: "Next lines" }).click();
    await expectShown(app.getByText("Line 2 is too long to be shown here."));
    await app.getByRole("button", { name: "Next lines" }).click();
    await expectShown(app.getByText('.last = "Darjeeling"'));
    await expectShown(app.getByText("Lines 3 to 3, the last"));
  });

  test("wide rows come fewer at a time, and one that is too long is passed", async () => {
    const rows = Array.from({ length: 60 }, (_, at) => ({ tea: `Assam ${at + 1}`, note: (at === 2 ? long : "leaf ").repeat(at === 2 ? 1 : 10_000) }));
    await lay("wide.jsonl", rows.map((row) => JSON.stringify(row)).join("\n"));
    const { app } = await show("wide.jsonl");
    const cell = (row: number) => app.getByRole("cell", { name: `Assam ${row}`, exact: true });
    await expectShown(cell(1));
    const next = app.getByRole("button", { name: "Next rows" });
    for (let turn = 0; turn < 3 && !(await app.getByText("Row 3 is too long").isVisible()); turn += 1) {
      const said = await app.getByRole("status").textContent();
      await next.click();
      await expect.poll(() => app.getByRole("status").textContent()).not.toBe(said);
    }
    await expectShown(app.getByText("Row 3 is too long to be shown here."));
    await next.click();
    await expectShown(cell(4));
  });
});

describe("other kinds", () => {
  test.each(["light", "dark"] as const)("Markdown, %s", async (theme) => {
    await lay("report.md", report);
    const { app, page, seen } = await show("report.md", { theme, mode: "legacy" });
    await expectShown(app.getByRole("heading", { name: "Tea in May" }));
    await expectShown(app.getByRole("cell", { name: "Darjeeling" }));
    await takePicture(page, `host-markdown-${theme}`);
    expect(await findings(page)).toEqual([]);
    await app.getByRole("button", { name: /the shop/ }).click();
    await expect.poll(() => seen((all) => all.links)).toEqual(["https://shop.example/tea"]);
  });

  test("a picture of more than a megabyte comes in parts", async () => {
    const picture = await photo();
    expect(picture.length).toBeGreaterThan(1024 * 1024);
    await lay("noise.png", picture);
    const { app, page, seen } = await show("noise.png");
    const image = app.getByRole("img", { name: "noise.png" });
    await expectShown(image);
    expect(await image.evaluate((each: HTMLImageElement) => each.naturalWidth)).toBe(800);
    await expectShown(app.getByText("800 × 600 pixels"));
    expect((await seen((all) => all.reads)).length).toBeGreaterThan(1);
    await takePicture(page, "host-picture-light");
    expect(await findings(page)).toEqual([]);
  });

  test.each(["light", "dark"] as const)("JSON, %s", async (theme) => {
    await lay("order.json", JSON.stringify({ id: 12, customer: { name: "Ada", tags: ["new", "tea"] }, items: Array.from({ length: 250 }, (_, at) => ({ at })), paid: true, note: null }).replace('"id":12', '"id":12345678901234567890'));
    const { app, page } = await show("order.json", { theme });
    await expectShown(app.getByText("12345678901234567890"));
    await app.getByText("250 items").click();
    await expectShown(app.getByRole("button", { name: /Show 100 more/ }));
    await takePicture(page, `host-json-${theme}`);
    expect(await findings(page)).toEqual([]);
  });

  test("a long log is read by lines", async () => {
    await lay("server.log", Array.from({ length: 30_000 }, (_, at) => `2026-05-01T10:00:00Z INFO request ${at + 1} took ${at % 97} ms`).join("\n"));
    const { app, page, seen } = await show("server.log", { theme: "dark" });
    await expectShown(app.getByText("Lines 1 to 500"));
    await app.getByRole("textbox", { name: "Go to number" }).fill("29999");
    await page.keyboard.press("Enter");
    await expectShown(app.getByText("INFO request 30000 took"));
    expect(await seen((all) => all.reads)).toEqual([expect.stringMatching(/lines=1-501$/), expect.stringMatching(/lines=29999-30499$/)]);
    await takePicture(page, "host-log-dark");
    expect(await findings(page)).toEqual([]);
  });

  test("what has no view is a card", async () => {
    await lay("archive.zip", new Uint8Array([80, 75, 3, 4, 20, 0, 0, 0, 0, 0]));
    const { app, page } = await show("archive.zip");
    await expectShown(app.getByText("application/zip"));
    expect(await findings(page)).toEqual([]);
  });

  test("a file that is not there is said to be missing", async () => {
    const { app } = await show("nothing.csv");
    await expectShown(app.getByText(/there is no file `nothing.csv`/));
  });
});

describe("tools of servers that the configuration names", () => {
  test("a result's files are drawn", async () => {
    const { app } = await open({ tool: "demo_table", arguments: { rows: 300 } });
    await expectShown(app.getByRole("heading", { name: "till.csv" }));
    await expectShown(app.getByText("Rows 1 to 100"));
  });

  test("and so is a result without files", async () => {
    const { app, page } = await open({ tool: "demo_stock", arguments: {} });
    await expectShown(app.locator(".host-tree, .host-table, .host-text").first());
    expect(await findings(page)).toEqual([]);
  });
});

describe("strangers' files", () => {
  let canary: Canary;
  beforeAll(async () => {
    canary = await Canary.start();
  });
  afterAll(() => canary.end());

  test("HTML is text, and Markdown loads and runs nothing", async () => {
    const html = scriptedHtml(canary.url);
    await lay("page.html", html.content);
    const first = await show("page.html");
    await expectShown(first.app.getByText("<script", { exact: false }).first());
    await first.page.context().close();

    await lay("notes.md", hostileMarkdown(canary.url).content);
    const second = await show("notes.md");
    await expectShown(second.app.getByText("The end of the notes."));
    expect(await second.app.locator("img, script:not([type=module]), iframe, a[href], style ~ style").count()).toBe(0);
    await second.app.getByText("press me").click();
    expect(await second.seen((all) => all.links)).toEqual([]);
    await second.page.context().close();

    const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="50" height="50"><image href="${canary.url}/svg"/><script>fetch("${canary.url}/svg-script")</script><rect width="50" height="50" fill="teal"/></svg>`;
    await lay("drawing.svg", drawing);
    const third = await show("drawing.svg");
    await expectShown(third.app.getByRole("img", { name: "drawing.svg" }));
    expect(canary.heard).toEqual([]);
  });

  test("characters that act unseen are seen, and no key reaches a prototype", async () => {
    await lay(unseenText.name, unseenText.content);
    const first = await show(unseenText.name);
    await expectShown(first.app.getByText("\\u{202e}").first());
    await first.page.context().close();
    await lay(prototypeJson.name, prototypeJson.content);
    const second = await show(prototypeJson.name);
    await expectShown(second.app.getByText("the last value"));
    expect(await second.app.locator("body").evaluate(() => "polluted" in {})).toBe(false);
  });
});

function salesCsv(rows: number): string {
  const lines = Array.from({ length: rows }, (_, at) => `${at + 1},Assam ${at + 1},"Hamburg, Altona",${((at * 37) % 900) / 10 + 1},${at === 0 ? "12345678901234567890" : at * 1000}`);
  return ["order,tea,city,price,reference", ...lines].join("\n");
}

const report = `# Tea in May

Sales were **up**, mostly at [the shop](https://shop.example/tea).

| tea | sold |
|---|---|
| Assam | 120 |
| Darjeeling | 85 |

- [x] count the boxes
- [ ] order more

> A quiet month otherwise.

\`\`\`sql
select tea, sum(sold) from sales group by tea
\`\`\`
`;

/** A picture that no encoder makes small. */
async function photo(): Promise<Uint8Array> {
  const context = await newContext();
  const drawn = await context.newPage();
  const base64 = await drawn.evaluate(() => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [800, 600];
    const brush = canvas.getContext("2d");
    const image = brush?.createImageData(800, 600);
    if (!brush || !image) return "";
    let state = 7;
    for (let at = 0; at < image.data.length; at += 1) {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      image.data[at] = at % 4 === 3 ? 255 : state >>> 24;
    }
    brush.putImageData(image, 0, 0);
    return canvas.toDataURL("image/png").split(",")[1] ?? "";
  });
  await context.close();
  return Buffer.from(base64, "base64");
}
