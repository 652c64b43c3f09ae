// Numbers, printed and not asserted: machines differ, and a test that fails on a busy one helps nobody.
import { expect, test } from "vitest";
import { expectShown, openTab, runTool, toolAt, waitUntilLive } from "./harness/acts";
import { useGateway, visit } from "./harness/visit";

const gateway = useGateway();

test("from the event to the first result on the screen", async () => {
  const session = await gateway().newSession();
  const { page } = await visit(gateway(), { at: toolAt("demo", "weather", session) });
  await waitUntilLive(page);
  await runTool(page);
  const took: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    // The clock starts when the bytes of the event arrive, and ends with the frame that shows the call.
    await page.evaluate(() => {
      const counted = () => document.querySelectorAll("main [aria-label^='Calls'] li").length;
      const before = counted();
      Reflect.set(window, "shown", new Promise<number>((resolve) => {
        const started = performance.now();
        const observer = new MutationObserver(() => {
          if (counted() <= before) return;
          observer.disconnect();
          requestAnimationFrame(() => resolve(performance.now() - started));
        });
        observer.observe(document.body, { childList: true, subtree: true });
      }));
    });
    const called = Date.now();
    await gateway().call(session, "demo", "weather");
    const answered = Date.now() - called;
    const shown = await page.evaluate<number>("window.shown");
    took.push(Math.round(shown - answered));
  }
  console.log(`measured: the call is on the screen ${took.join(", ")} ms after the API's own answer (less than 0: before it)`);
  expect(took).toHaveLength(5);
});

test("a table of 100,000 rows", async () => {
  const session = await gateway().newSession();
  const lines = Array.from({ length: 100_000 }, (_, row) => `${row},name ${row % 977},${(row * 7919) % 100_003},${row % 2 === 0 ? "yes" : "no"}`);
  await gateway().upload(session, "large.csv", `id,name,amount,even\n${lines.join("\n")}\n`);
  const { page } = await visit(gateway(), { at: toolAt("demo", "echo", session) });
  const opened = Date.now();
  await page.getByRole("navigation").getByRole("button", { name: /^large.csv/ }).click();
  const panel = await openTab(page, "large.csv");
  await expectShown(panel.getByRole("status").filter({ hasText: "100,000 rows" }));
  const open = Date.now() - opened;

  const grid = panel.getByRole("grid");
  const frames = await grid.evaluate(async (element) => {
    const scroller = [element, ...element.querySelectorAll("*")].find((each) => each.scrollHeight > each.clientHeight + 1000) ?? element.parentElement ?? element;
    const times: number[] = [];
    const start = performance.now();
    await new Promise<void>((resolve) => {
      const step = (now: number) => {
        times.push(now);
        scroller.scrollTop += 400;
        if (now - start < 2000) requestAnimationFrame(step);
        else resolve();
      };
      requestAnimationFrame(step);
    });
    const gaps = times.slice(1).map((time, at) => time - (times[at] ?? time)).sort((one, other) => one - other);
    return { perSecond: Math.round(times.length / 2), median: gaps[Math.floor(gaps.length / 2)], worst: gaps.at(-1), moved: scroller.scrollTop };
  });
  expect(frames.moved).toBeGreaterThan(10_000);

  const sorted = Date.now();
  await panel.getByRole("columnheader", { name: "amount" }).getByRole("button").click();
  await expectShown(panel.getByRole("columnheader", { name: "amount" }).and(page.locator("[aria-sort=ascending]")));
  const sort = Date.now() - sorted;
  console.log(`measured: 100,000 rows open in ${open} ms, sort in ${sort} ms, scroll at ${frames.perSecond} frames a second (median ${frames.median?.toFixed(1)} ms, worst ${frames.worst?.toFixed(1)} ms)`);
});

test("what the page loads before it shows anything", async () => {
  const opened = await visit(gateway());
  await waitUntilLive(opened.page);
  const sizes = await opened.page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .filter((entry): entry is PerformanceResourceTiming => entry instanceof PerformanceResourceTiming && entry.name.endsWith(".js"))
      .map(({ encodedBodySize, decodedBodySize }) => ({ sent: encodedBodySize, whole: decodedBodySize })),
  );
  const sent = sizes.reduce((sum, size) => sum + size.sent, 0);
  const whole = sizes.reduce((sum, size) => sum + size.whole, 0);
  console.log(`measured: ${sizes.length} scripts at the start, ${sent} bytes as sent, ${whole} unpacked`);
  expect(sizes.length).toBeGreaterThan(0);
});
