// Dashboards: frames of servers' own pages, by each persistence, over a restart, and the ones that
// are refused.
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { canvasOf, expectGone, expectShown, runTool, stageOf, tabOf, tabsIn, toolAt } from "./harness/acts";
import { useGateway, type VisitOptions, visit } from "./harness/visit";

/** A second server whose dashboards have the ids of the first one's. */
const twins = mkdtempSync(join(tmpdir(), "resultant-twins-"));
afterAll(() => rmSync(twins, { recursive: true }));
const shelf = join(import.meta.dirname, "servers/shelf.mjs");
const gateway = useGateway({ servers: { twin: { command: process.execPath, args: [shelf, twins] } } });

/** A page of a server's own, which writes down whether it was given a token. */
let floor: Server;
let floorUrl: string;
beforeAll(async () => {
  const page = `<!doctype html><html lang="en"><title>Floor</title><h1>The floor</h1><p id="said" role="status">waiting</p><button>Order beans</button>
<script>
addEventListener("message", (event) => { if (event.data.type === "resultant/dashboard-token") said.textContent = "token " + event.data.token + " from " + event.origin; });
document.querySelector("button").onclick = () => parent.postMessage({ type: "resultant/dashboard-action", action: "order-beans" }, "*");
parent.postMessage({ type: "resultant/dashboard-ready" }, "*");
</script>`;
  floor = createServer((_, response) => response.setHeader("Content-Type", "text/html").end(page));
  await new Promise<void>((resolve) => floor.listen(0, "127.0.0.1", resolve));
  floorUrl = `http://127.0.0.1:${(floor.address() as AddressInfo).port}/`;
});
afterAll(() => {
  floor.closeAllConnections();
  floor.close();
});

function layDashboard(name: string, canvas: Record<string, unknown>): void {
  const given = { open: true, id: name, type: "iframe", title: `Floor ${name}`, url: floorUrl, token: `secret-of-${name}`, ...canvas };
  gateway().layContract(name, { results: "opened", canvas: given });
}

async function openDashboard(name: string, options: VisitOptions = {}) {
  const session = await gateway().newSession();
  const at = toolAt("shelf", "give", session, { name });
  const opened = await visit(gateway(), { at, origins: [/^http:\/\/127\.0\.0\.1:/], ...options });
  await runTool(opened.page);
  return { session, page: opened.page, requests: opened.requests, newTab: (at: string) => opened.newTab(at) };
}

test("the demo's dashboard lives", async () => {
  const session = await gateway().newSession();
  const { page } = await visit(gateway(), { at: toolAt("demo", "live_dashboard", session), origins: [/^http:\/\/127\.0\.0\.1:/] });
  await runTool(page);
  const frame = stageOf(canvasOf(page).getByRole("tabpanel", { name: "Shop floor, live" }));
  await expectShown(frame.getByRole("status").filter({ hasText: "live" }));
  await frame.getByRole("button", { name: "Order more beans" }).click();
  // What was done in it is in the log, with who did it.
  await expect.poll(() => gateway().log).toMatch(/order-beans/);
});

test("the token goes to the dashboard's origin by message, and into no address", async () => {
  layDashboard("token", {});
  const { page, requests } = await openDashboard("token");
  const frame = stageOf(canvasOf(page).getByRole("tabpanel", { name: "Floor token" }));
  await expectShown(frame.getByText(`token secret-of-token from ${gateway().url}`));
  expect(requests.filter((url) => url.includes("secret-of-token"))).toEqual([]);
  expect(gateway().log).not.toContain("secret-of-token");
  // Nor is it anywhere in the page itself.
  expect(await page.content()).not.toContain("secret-of-token");
});

test("a second result with the same id updates the tab in place", async () => {
  layDashboard("again", {});
  const { page } = await openDashboard("again");
  const panel = canvasOf(page).getByRole("tabpanel", { name: /^Floor again/ });
  await expectShown(stageOf(panel).getByText("token secret-of-again"));
  layDashboard("again", { token: "secret-two", title: "Floor again, later" });
  await runTool(page);
  await expectShown(tabOf(page, "Floor again, later"));
  await expectShown(stageOf(panel).getByText("token secret-two"));
  const all = [...(await tabsIn(page, "Main pane")), ...(await tabsIn(page, "Second pane").catch(() => []))];
  expect(all.filter((name) => name.startsWith("Floor again"))).toHaveLength(1);
});

test("two servers have a tab each for the same id, and one that is closed is closed in every window", async () => {
  layDashboard("both", { title: "Floor of the twin" });
  copyFileSync(join(gateway().shelf, "both.json"), join(twins, "both.json"));
  layDashboard("both", { title: "Floor of the shelf" });
  const { page, session, newTab } = await openDashboard("both");
  await gateway().call(session, "twin", "give", { name: "both" });
  await expectShown(tabOf(page, "Floor of the twin"));
  await expectShown(tabOf(page, "Floor of the shelf"));
  const other = await newTab(toolAt("demo", "echo", session));
  await expectShown(tabOf(other, "Floor of the shelf"));
  await tabOf(page, "Floor of the shelf").click();
  await tabOf(page, "Floor of the shelf").press("Delete");
  for (const each of [page, other]) {
    await expectGone(tabOf(each, "Floor of the shelf"));
    await expectShown(tabOf(each, "Floor of the twin"));
  }
  await other.reload();
  await expectShown(tabOf(other, "Floor of the twin"));
  await expectGone(tabOf(other, "Floor of the shelf"));
});

test("an origin that is not allowed is refused on a card that says how to allow it", async () => {
  layDashboard("foreign", { url: "https://dashboards.example.com/floor" });
  const { page } = await openDashboard("foreign");
  const card = canvasOf(page).getByRole("alert");
  await expectShown(card.getByText(/https:\/\/dashboards\.example\.com is not among those/));
  await expectShown(card.getByText(/"origins"/));
  expect(await canvasOf(page).locator("iframe").count()).toBe(0);
});

test("the gateway itself is never framed", async () => {
  for (const [name, url] of [
    ["own", `${gateway().url}/`],
    ["own-name", `http://localhost:${gateway().port}/`],
    ["own-sandbox", `http://127.0.0.1:${gateway().sandboxPort}/stage.html`],
  ] as const) {
    layDashboard(name, { url });
    const { page } = await openDashboard(name);
    await expectShown(canvasOf(page).getByRole("alert").getByText(/this gateway itself/));
    expect(await canvasOf(page).locator("iframe").count()).toBe(0);
  }
});

test("pinned ones are there after a restart, in any session; a session's stay in it; ephemeral ones go", async () => {
  for (const persistence of ["pinned", "session", "ephemeral"]) layDashboard(persistence, { persistence });
  const session = await gateway().newSession();
  for (const persistence of ["pinned", "session", "ephemeral"]) {
    await gateway().call(session, "shelf", "give", { name: persistence });
  }
  await gateway().startAgain();

  const origins = [/^http:\/\/127\.0\.0\.1:/];
  const { page } = await visit(gateway(), { at: toolAt("demo", "echo", session), origins });
  await page.getByRole("button", { name: "Show the canvas" }).click({ timeout: 2000 }).catch(() => {});
  await expectShown(tabOf(page, "Floor pinned"));
  await expectShown(tabOf(page, "Floor session"));
  await expectGone(tabOf(page, "Floor ephemeral"));

  const other = await visit(gateway(), { at: toolAt("demo", "echo", await gateway().newSession()), origins });
  await other.page.getByRole("button", { name: "Show the canvas" }).click({ timeout: 2000 }).catch(() => {});
  await expectShown(tabOf(other.page, "Floor pinned"));
  await expectGone(tabOf(other.page, "Floor session"));
});
