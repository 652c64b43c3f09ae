// The page as a live inspector: what agents do appears as it happens, calls can be cancelled, a
// gateway that comes back is found again, and several tabs agree.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectShown, isCanvasOpen, mainOf, runTool, tabOf, toolAt, waitUntilLive } from "./harness/acts";
import { connectAgent } from "./harness/client";
import { useGateway, visit } from "./harness/visit";

const gateway = useGateway();

function calls(page: Parameters<typeof mainOf>[0]) {
  return mainOf(page).getByRole("list", { name: /^Calls/ });
}

test("an agent's call appears as it happens, with its files", async () => {
  const session = await gateway().newSession();
  const { page } = await visit(gateway(), { at: `/?session=${session}` });
  await waitUntilLive(page);
  const agent = await connectAgent(gateway(), session);
  const called = agent.client.callTool({ name: "demo_sales_report", arguments: {} });
  await expectShown(calls(page).getByRole("button", { name: /The year's report/ }));
  await called;
  await expectShown(tabOf(page, "report.html"));
  await calls(page).getByRole("button", { name: /succeeded.*The year's report/ }).click();
  await expectShown(mainOf(page).getByRole("region", { name: /^Result of/ }));
  await agent.end();
});

test("an agent's own session appears, and its calls are in it", async () => {
  const { page } = await visit(gateway());
  await waitUntilLive(page);
  const agent = await connectAgent(gateway());
  await agent.client.callTool({ name: "demo_weather", arguments: {} });
  await page.getByRole("tab", { name: "Sessions" }).click();
  await page.getByRole("list", { name: "Sessions" }).getByRole("button", { name: /MCP/ }).first().click();
  await expectShown(calls(page).getByRole("button", { name: /Weather at a station/ }));
  await agent.end();
});

test("an agent's call is seen while it runs, and its progress", async () => {
  const session = await gateway().newSession();
  const { page } = await visit(gateway(), { at: `/?session=${session}` });
  await waitUntilLive(page);
  const agent = await connectAgent(gateway(), session);
  const stop = new AbortController();
  const called = agent.client.callTool({ name: "shelf_wait", arguments: { name: "agent" } }, { signal: stop.signal });
  await expectShown(calls(page).getByRole("button", { name: /running.*wait/ }));
  stop.abort();
  await expect(called).rejects.toThrow();
  await expectShown(calls(page).getByRole("button", { name: /(cancelled|failed).*wait/ }));
  await agent.end();
});

test("a call is cancelled, and its server hears of it", async () => {
  const session = await gateway().newSession();
  const { page } = await visit(gateway(), { at: toolAt("shelf", "wait", session, { name: "by-hand" }) });
  await mainOf(page).getByRole("button", { name: "Run", exact: true }).click();
  await mainOf(page).getByRole("button", { name: /^Cancel/ }).first().click();
  await expectShown(calls(page).getByRole("button", { name: /cancelled.*wait/ }));
  await expect.poll(() => existsSync(join(gateway().shelf, "by-hand.txt"))).toBe(true);
});

test("progress has a bar and words", async () => {
  const session = await gateway().newSession();
  const { page } = await visit(gateway(), { at: toolAt("demo", "roast", session, { seconds: 3 }) });
  await mainOf(page).getByRole("button", { name: "Run", exact: true }).click();
  await expectShown(mainOf(page).getByRole("progressbar"));
  await expectShown(calls(page).getByRole("button", { name: /succeeded.*Roast/ }));
});

test("a server's question is answered on the page", async () => {
  const session = await gateway().newSession();
  const { page } = await visit(gateway(), { at: toolAt("demo", "sign_guest_book", session) });
  await mainOf(page).getByRole("button", { name: "Run", exact: true }).click();
  const name = mainOf(page).getByRole("textbox", { name: /name/i }).last();
  await name.fill("Ada");
  await mainOf(page).getByRole("button", { name: /^(Answer|Send|Accept|Submit)/ }).first().click();
  await expectShown(mainOf(page).getByRole("region", { name: /^Result of/ }).getByText(/Ada/));
});

test("a gateway that comes back is found again, and nothing is missed", async () => {
  const session = await gateway().newSession();
  const expected = [/ERR_CONNECTION_REFUSED|Failed to load resource|ERR_|net::|Failed to fetch/];
  const { page } = await visit(gateway(), { at: `/?session=${session}`, expected });
  await waitUntilLive(page);
  await gateway().stop();
  await expectShown(page.getByRole("banner").getByRole("status").filter({ hasNotText: /^live$/ }));
  await gateway().startAgain();
  // Before the page is back: it must catch up with what it missed.
  await gateway().call(session, "demo", "weather");
  await waitUntilLive(page);
  await expectShown(calls(page).getByRole("button", { name: /Weather at a station/ }));
  const { page: other } = await visit(gateway(), { at: toolAt("demo", "sales_export", session) });
  await runTool(other);
  await expectShown(calls(page).getByRole("button", { name: /Export the sales/ }));
});

test("two tabs agree", async () => {
  const session = await gateway().newSession();
  const opened = await visit(gateway(), { at: toolAt("demo", "sales_report", session) });
  const second = await opened.newTab(`/?session=${session}`);
  await waitUntilLive(second);
  await runTool(opened.page);
  await expectShown(calls(second).getByRole("button", { name: /The year's report/ }));
  await expectShown(tabOf(second, "report.html"));
  await expectShown(second.getByRole("navigation").getByRole("button", { name: /^report.html/ }));
  expect(await isCanvasOpen(second)).toBe(true);
});
