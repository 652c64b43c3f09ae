// The first minute: the demo as anybody starts it, the page by its link, a result by one click.
import { expect, test } from "vitest";
import { canvasOf, expectShown, mainOf, openTab, resultOf, stageOf, tabsIn, waitUntilLive } from "./harness/acts";
import { useGateway, visit } from "./harness/visit";

const gateway = useGateway({ isPlainDemo: true });

test("from the link to the first result", async () => {
  const { page, requests } = await visit(gateway());
  // The code of the link is used up and gone from the address.
  expect(page.url()).not.toContain("code");
  await waitUntilLive(page);
  await expectShown(page.getByRole("heading", { name: "What should run?" }));

  await page.getByRole("region", { name: "A first call" }).getByRole("button", { name: "The year's report" }).click();
  await expectShown(resultOf(page).getByRole("status").filter({ hasText: "Done" }));
  await expectShown(mainOf(page).getByRole("button", { name: /^Show on the canvas: report.html/ }));

  // The page is the primary file of that result, so it is shown first.
  const panel = canvasOf(page).getByRole("tabpanel", { name: "report.html" });
  const report = stageOf(panel).locator("iframe").contentFrame();
  await expectShown(report.getByRole("heading", { name: "Larkspur Tea & Coffee" }));
  expect((await tabsIn(page, "Main pane")).sort()).toEqual(["report.html", "sales.csv", "takings.png"]);

  // No credential is ever part of an address.
  const secret = gateway().secret;
  expect(requests.filter((url) => url.includes(secret) || /token=|code=/.test(url))).toEqual([]);
});

test("a link opens the page once", async () => {
  const { context } = await visit(gateway());
  const link = await gateway().link();
  const first = await context.newPage();
  await first.goto(link);
  await expectShown(first.getByRole("navigation"));
  const stranger = await context.browser()?.newContext();
  const page = await stranger?.newPage();
  await page?.goto(link);
  await page?.getByText(/sign in|resultant open/i).first().waitFor();
  expect(await page?.getByRole("navigation").count()).toBe(0);
  await stranger?.close();
});

test("a result has every view", async () => {
  const { page } = await visit(gateway());
  await page.getByRole("region", { name: "A first call" }).getByRole("button", { name: "The year's report" }).click();
  await expectShown(resultOf(page).getByRole("status").filter({ hasText: "Done" }));
  const result = resultOf(page);

  await result.getByRole("tab", { name: "Model" }).click();
  await expectShown(result.getByRole("tabpanel", { name: "Model" }).getByText(/tokens/));
  await result.getByRole("tab", { name: "Structured" }).click();
  await expectShown(result.getByRole("tabpanel", { name: "Structured" }).getByRole("tree"));
  await result.getByRole("tab", { name: "Raw" }).click();
  await expectShown(result.getByRole("tabpanel", { name: "Raw" }).getByText("artifacts").first());
  await result.getByRole("tab", { name: "Notes" }).click();
  await expectShown(result.getByRole("tabpanel", { name: "Notes" }));
});

test("an error looks like one and carries the server's words", async () => {
  const { page } = await visit(gateway(), { at: "/tool/demo/fail" });
  await mainOf(page).getByRole("button", { name: "Run", exact: true }).click();
  await expectShown(resultOf(page).getByRole("status").filter({ hasText: /fail|error/i }));
  await expectShown(resultOf(page).getByRole("alert"));
});

test("everything of a download comes from the gateway", async () => {
  const { page } = await visit(gateway(), { at: "/tool/demo/sales_export" });
  await mainOf(page).getByRole("button", { name: "Run", exact: true }).click();
  await openTab(page, "sales.csv");
  const download = page.waitForEvent("download");
  await canvasOf(page).getByRole("button", { name: "Download", exact: true }).click();
  expect((await download).suggestedFilename()).toBe("sales.csv");
});
