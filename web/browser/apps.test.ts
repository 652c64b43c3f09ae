// MCP Apps: two public ones, and one that tries what it may not.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canvasOf, expectShown, runTool, stageOf, toolAt } from "./harness/acts";
import { Canary } from "./harness/canary";
import { connectAgent } from "./harness/client";
import { useGateway, visit } from "./harness/visit";
import { askAround, freshWindows } from "./hostile/html";
import { goodPdf } from "./hostile/pdf";

const peers = process.env.RESULTANT_TEST_NODE_MCP_APPS ?? "";
const hasPeers = peers !== "";
if (!hasPeers && process.env.CI) throw new Error("RESULTANT_TEST_NODE_MCP_APPS is not set");

describe.skipIf(!hasPeers)("public apps", () => {
  const folder = join(peers, "node_modules/@modelcontextprotocol");
  const papers = mkdtempSync(join(tmpdir(), "resultant-papers-"));
  const paper = join(papers, "paper.pdf");
  writeFileSync(paper, goodPdf(["The first page of the paper", "The second"]));
  afterAll(() => rmSync(papers, { recursive: true }));
  const server = (name: string, ...words: string[]) => ({ command: process.execPath, args: [join(folder, name, "dist/index.js"), "--stdio", ...words] });
  // That server reads the files that it is started with, and no others.
  const gateway = useGateway({ servers: { monitor: server("server-system-monitor"), pdf: server("server-pdf", paper) } });

  test("the system monitor draws and goes on asking its server", async () => {
    const session = await gateway().newSession();
    const { page } = await visit(gateway(), { at: toolAt("monitor", "get-system-info", session) });
    await runTool(page);
    const panel = canvasOf(page).getByRole("tabpanel").filter({ has: page.locator("iframe") });
    const app = stageOf(panel).locator("iframe").contentFrame();
    await expectShown(app.getByText(/Memory/i));
    await expectShown(app.locator("canvas"));
    // It polls a tool that is for apps only.
    const polled = async () => JSON.stringify(await gateway().api(`/api/calls?session=${session}`));
    await expect.poll(polled, { timeout: 15_000 }).toContain("poll-system-stats");
  });

  // It would keep the page's number in a storage that it has no origin for, and does without.
  test("the PDF app reads a document piece by piece", async () => {
    const session = await gateway().newSession();
    const { page } = await visit(gateway(), { at: toolAt("pdf", "display_pdf", session, { url: `file://${paper}` }), expected: [/lacks the 'allow-same-origin' flag/] });
    await runTool(page);
    const panel = canvasOf(page).getByRole("tabpanel").filter({ has: page.locator("iframe") });
    const app = stageOf(panel).locator("iframe").contentFrame();
    await expectShown(app.getByText(/The first page of the paper/));
  });
});

describe("an app that tries what it may not", () => {
  const gateway = useGateway();
  let canary: Canary;
  beforeAll(async () => {
    canary = await Canary.start();
    writeFileSync(join(gateway().shelf, "app.html"), tryingApp(canary.url));
  });
  afterAll(async () => {
    await canary.end();
    // What came late has been heard by now.
    expect(canary.heard).toEqual([]);
  });

  test("gets its own tools, not a model's, and no network", async () => {
    const session = await gateway().newSession();
    await gateway().upload(session, "a.csv", "a,b\n1,2\n");
    const expected = [/Content Security Policy|Refused|ERR_BLOCKED_BY_CSP/];
    // The browser tells of a request also where it was refused; the canary knows whether it came.
    const origins = [new RegExp(`^${canary.url}/`)];
    const { page } = await visit(gateway(), { at: toolAt("shelf", "open_app", session), expected, origins });
    await runTool(page);
    const panel = canvasOf(page).getByRole("tabpanel").filter({ has: page.locator("iframe") });
    const app = stageOf(panel).locator("iframe").contentFrame();
    await expectShown(app.getByText("for_apps: an app called"));
    await expectShown(app.getByText("for_models: refused"));
    await expectShown(app.getByText("demo echo: refused"));
    await expectShown(app.getByText("much_for_apps: The server's answer is larger than the 16 MiB"));
    await expectShown(app.getByText("its own page: read"));
    await expectShown(app.getByText("a file of the session: refused"));
    await expectShown(app.getByText("fetch: refused"));
    await expectShown(app.getByText("parent: refused"));
    await expectShown(app.getByText("WebRTC: refused"));
    await expectShown(app.getByText("frames: 0, the app goes on"));
    expect(await app.locator("link, iframe").count()).toBe(0);
    expect(await app.locator("html").evaluate(() => document.compatMode)).toBe("CSS1Compat");
    expect(existsSync(join(gateway().shelf, "for_models.txt"))).toBe(false);
    expect(canary.heard).toEqual([]);
  });

  test("has the frames of the origins that it declares, and none of its own making", async () => {
    writeFileSync(join(gateway().shelf, "app.html"), framingApp(canary.url));
    const session = await gateway().newSession();
    const expected = [/Content Security Policy|Refused|ERR_BLOCKED_BY_CSP|Unsafe attempt|Not allowed to load/];
    const { page } = await visit(gateway(), { at: toolAt("shelf", "open_app", session), expected, origins: [/^https:\/\/frames\.example\//] });
    await page.route("**/api/servers/shelf/resource?*", async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      json.contents[0]._meta = { ui: { csp: { frameDomains: ["https://frames.example"] } } };
      await route.fulfill({ response, json });
    });
    await page.route("https://frames.example/**", (route) => route.fulfill({ contentType: "text/html", body: "<p>framed</p>" }));
    await runTool(page);
    const panel = canvasOf(page).getByRole("tabpanel").filter({ has: page.locator("iframe") });
    const app = stageOf(panel).locator("iframe").contentFrame();
    await expectShown(app.getByText("own frames: none, the app goes on"));
    for (const name of ["at once", "later"]) {
      await expectShown(app.locator(`iframe[title="${name}"]`).contentFrame().getByText("framed"));
    }
    expect(canary.heard).toEqual([]);
  });

  test("a model is not offered an app's tools, and cannot call them", async () => {
    const agent = await connectAgent(gateway());
    const { tools } = await agent.client.listTools();
    const names = tools.map((tool) => tool.name);
    expect(names).toContain("shelf_for_models");
    expect(names).not.toContain("shelf_for_apps");
    const refused = agent.client.callTool({ name: "shelf_for_apps", arguments: {} });
    await expect(refused.then((result) => (result.isError ? Promise.reject(new Error("refused")) : result))).rejects.toThrow();
    await agent.end();
  });
});

/** An app without the SDK, which says what it does. */
function appOf(script: string): string {
  return `<!doctype html><html lang="en"><title>Trying</title><h1>Trying</h1><ul id="list"></ul>
<script>
let last = 0;
const waiting = new Map();
const say = (text) => { const item = document.createElement("li"); item.textContent = text; list.append(item); };
const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
const ask = (method, params) => new Promise((resolve, reject) => { last += 1; waiting.set(last, { resolve, reject }); send({ id: last, method, params }); });
addEventListener("message", ({ data }) => {
  const asked = waiting.get(data?.id);
  if (!asked || data.method) return;
  waiting.delete(data.id);
  data.error ? asked.reject(new Error(data.error.message)) : asked.resolve(data.result);
});
const call = (name) => ask("tools/call", { name, arguments: {} }).then((result) => result.isError ? "refused" : result.content[0].text, () => "refused");
(async () => {
  await ask("ui/initialize", { protocolVersion: "2026-01-26", appInfo: { name: "trying", version: "1" }, appCapabilities: {} });
  send({ method: "ui/notifications/initialized" });
  ${script}
})();
</script></html>`;
}

/** It says each thing that it tried, and how that ended. */
function tryingApp(canary: string): string {
  return appOf(`say("for_apps: " + await call("for_apps"));
  say("for_models: " + await call("for_models"));
  say("demo echo: " + await call("echo"));
  say("much_for_apps: " + await call("much_for_apps"));
  const read = (uri) => ask("resources/read", { uri }).then(() => "read", () => "refused");
  say("its own page: " + await read("ui://shelf/app.html"));
  say("a file of the session: " + await read("resultant://files/a.csv"));
  say("fetch: " + await fetch("${canary}/app").then(() => "done", () => "refused"));
  new Image().src = "${canary}/app-image";
  try { say("parent: " + parent.parent.document.title); } catch { say("parent: refused"); }
  try { ${askAround("", canary)}; say("WebRTC: done"); } catch { say("WebRTC: refused"); }
  ${freshWindows((path) => `${canary}/${path}`).map((line) => `try { ${line} } catch {}`).join("\n  ")}
  for (const rel of ["preconnect", "dns-prefetch", "prefetch"]) document.head.append(Object.assign(document.createElement("link"), { rel, href: "${canary}/app-" + rel }));
  // A frame that is there a task later would have run by then.
  setTimeout(() => say("frames: " + frames.length + ", the app goes on"));`);
}

/** It hides frames of its own, also behind an address that it declared, and then frames what it declared. */
function framingApp(canary: string): string {
  const ask = encodeURIComponent(askAround("", canary));
  return appOf(`const address = "https://frames.example/";
  const frame = (title, more = {}) => { const made = Object.assign(document.createElement("iframe"), { title, ...more }); document.body.append(made); return made; };
  ${freshWindows((path) => `${canary}/${path}`).map((line) => `try { ${line} } catch {}`).join("\n  ")}
  for (const own of ["javascript:${ask}", "data:text/html,x", "blob:null/x", "/app.html"]) {
    frame("own", { src: own });
    frame("own").src = own;
    frame("own", { src: own }).src = address;
  }
  frame("own", { src: address }).srcdoc = "own";
  frame("own", { srcdoc: "own", src: address }).removeAttribute("srcdoc");
  setTimeout(() => {
    say("own frames: " + (document.querySelector("[title=own], [srcdoc]") ? "some" : "none") + ", the app goes on");
    frame("at once", { src: address + "at-once" });
    const later = frame("later");
    setTimeout(() => { later.src = address + "later"; });
  });`);
}
