// A page, the real gateway, and an official SDK's client on the other side.
import { createHash } from "node:crypto";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { FOREIGN_HOST, launch } from "./support/chromium.js";
import { connectClient, type McpClient, type Result, type Version, VERSIONS } from "./support/clients.js";
import { Program, program, type User } from "./support/program.js";
import { Site } from "./support/site.js";
import { connectIn, openTab, register, registerEndless, tabOf, waitForStatus } from "./support/tab.js";

const MODERN = "2026-07-28";
const textOf = (result: Result) => result.content[0]?.["text"];

describe.skipIf(!program)("a page behind the gateway", () => {
  let browser: Browser;
  let site: Site;
  let gateway: Program;
  let context: BrowserContext;
  let clients: McpClient[];

  beforeAll(async () => {
    site = await new Site(inject("fixture")).start();
    browser = await launch();
    gateway = await new Program([site.url]).start();
  });
  afterAll(async () => {
    await browser.close();
    await gateway.end();
    await site.stop();
  });
  beforeEach(async () => {
    context = await browser.newContext();
    clients = [];
  });
  afterEach(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await context.close();
    // The next test begins without anybody's tools.
    for (const user of ["anna", "ben"] as const) {
      const client = await connectClient(MODERN, gateway.url, gateway.key(user));
      await client.until((names) => !names.some((name) => name.startsWith("page_")));
      await client.close();
    }
  });

  async function connect(version: Version = MODERN, user: User = "anna"): Promise<McpClient> {
    const client = await connectClient(version, gateway.url, gateway.key(user));
    clients.push(client);
    return client;
  }

  async function open(user: User = "anna", into = context): Promise<Page> {
    return openTab(into, site.url, { url: gateway.url, token: await gateway.pageToken(user) });
  }

  const there = (client: McpClient, name: string) => client.until((names) => names.includes(`page_${name}`));
  const gone = (client: McpClient, name: string) => client.until((names) => !names.includes(`page_${name}`));

  /** Calls a tool that never ends by itself, and comes back when its handler runs. */
  async function begin(
    client: McpClient,
    name: string,
  ): Promise<{ ended: Promise<Result | Error>; cancel: () => void }> {
    const stop = new AbortController();
    const outcome: { ended?: Promise<Result | Error> } = {};
    await new Promise<void>((begun, fail) => {
      outcome.ended = client
        .call(name, {}, { onprogress: () => begun(), signal: stop.signal })
        .catch((error: unknown) => error as Error);
      void outcome.ended.then((end) => fail(new Error(`it ended before it began: ${JSON.stringify(end)}`)));
    });
    return { ended: outcome.ended ?? Promise.reject(new Error("not begun")), cancel: () => stop.abort() };
  }

  test.each(VERSIONS)("tools come and go, and are called by a client of %s", async (version) => {
    const client = await connect(version);
    expect(client.version).toBe(version);
    const page = await open();
    await page.evaluate(() => {
      const inputSchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
      const { connection } = window.lab;
      connection.registerTool("weather", "The weather of a city", inputSchema, ({ city }) => `sun in ${String(city)}`, {
        title: "Weather",
      });
    });
    await there(client, "weather");
    const tool = (await client.tools()).find((tool) => tool.name === "page_weather");
    expect(tool).toMatchObject({
      description: "The weather of a city",
      title: "Weather",
      inputSchema: { required: ["city"] },
    });
    expect(textOf(await client.call("page_weather", { city: "Bergen" }))).toBe("sun in Bergen");
    await page.evaluate(() => window.lab.connection.unregisterTool("weather"));
    await gone(client, "weather");
  });

  test("of two tabs, one is closed in the middle of a call", async () => {
    const client = await connect();
    const [one, two] = [await open(), await open()];
    await registerEndless(one, "endless");
    await register(two, "other", "still here");
    await there(client, "endless");
    await there(client, "other");
    const { ended } = await begin(client, "page_endless");
    await one.close();
    expect(said(await ended)).toContain('the tab "Fixture" was closed while endless was running');
    await gone(client, "endless");
    expect(textOf(await client.call("page_other"))).toBe("still here");
  });

  test("a reload during a call fails it, and the page is there again", async () => {
    const client = await connect();
    const [page] = [await open(), await open()];
    await registerEndless(page, "endless");
    await there(client, "endless");
    const { ended } = await begin(client, "page_endless");
    await page.reload();
    expect(said(await ended)).toContain("was closed while endless was running");
    await connectIn(page, { url: gateway.url, token: await gateway.pageToken("anna") });
    await register(page, "again", "back");
    await there(client, "again");
    expect(textOf(await client.call("page_again"))).toBe("back");
  });

  test("the last tab goes in the middle of a call", async () => {
    const client = await connect();
    const page = await open();
    await registerEndless(page, "endless");
    await there(client, "endless");
    const { ended } = await begin(client, "page_endless");
    await page.close();
    expect(said(await ended)).not.toBe("");
    await gone(client, "endless");
  });

  test("a caller that leaves aborts the handler", async () => {
    const client = await connect();
    const page = await open();
    await registerEndless(page, "endless");
    await there(client, "endless");
    const { ended, cancel } = await begin(client, "page_endless");
    cancel();
    await page.waitForFunction(() => document.title.startsWith("aborted: "));
    expect(await ended).toBeInstanceOf(Error);
  });

  test("the tab is the named one, else the one that the person used last", async () => {
    const client = await connect();
    const [one, two] = [await open(), await open()];
    await register(one, "who", "one");
    await register(two, "who", "two");
    await there(client, "who");
    const of = async (page: Page) =>
      textOf(await client.call("page_who", {}, { meta: { "resultant/tab": await tabOf(page) } }));
    expect(await of(one)).toBe("one");
    await expect.poll(() => of(two)).toBe("two");
    expect(said(await client.call("page_who", {}, { meta: { "resultant/tab": "nowhere" } }))).toContain("nowhere");
  });

  test("a gateway that is started again finds everything registered", async () => {
    const page = await open();
    await register(page, "steady", "yes");
    await there(await connect(), "steady");
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await gateway.stop();
    await waitForStatus(page, "reconnecting");
    await gateway.start();
    // Page tokens are the gateway's own and may not outlive it; the page has another where it needs one.
    await page.waitForFunction(() => ["connected", "refused"].includes(window.lab.connection.state.get().status));
    if ((await page.evaluate(() => window.lab.connection.state.get().status)) === "refused") {
      const token = await gateway.pageToken("anna");
      await page.evaluate((token) => window.lab.connection.setToken(token), token);
    }
    const client = await connect();
    await there(client, "steady");
    expect(textOf(await client.call("page_steady"))).toBe("yes");
  });

  test("another token of the same user changes nothing, another user's moves the page", async () => {
    const [anna, ben] = [await connect(MODERN, "anna"), await connect(MODERN, "ben")];
    const page = await open("anna");
    await register(page, "mine", "whose?");
    await there(anna, "mine");
    const next = await gateway.pageToken("anna");
    await page.evaluate((token) => window.lab.connection.setToken(token), next);
    expect(textOf(await anna.call("page_mine"))).toBe("whose?");
    expect((await waitForStatus(page, "connected")).user).toBe("anna");
    const other = await gateway.pageToken("ben");
    await page.evaluate((token) => window.lab.connection.setToken(token), other);
    await there(ben, "mine");
    await gone(anna, "mine");
    expect(textOf(await ben.call("page_mine"))).toBe("whose?");
  });

  test("two users in one browser profile: nobody ever lists the other's, and both can call", async () => {
    const [anna, ben] = [await connect(MODERN, "anna"), await connect("2025-06-18", "ben")];
    const seen = { anna: new Set<string>(), ben: new Set<string>() };
    let isOver = false;
    const look = async (client: McpClient, names: Set<string>) => {
      while (!isOver) for (const tool of await client.tools()) names.add(tool.name);
    };
    const looking = [look(anna, seen.anna), look(ben, seen.ben)];
    const hers = await open("anna");
    await register(hers, "hers", "anna's");
    await there(anna, "hers");
    const his = await open("ben");
    await register(his, "his", "ben's");
    await there(ben, "his");
    const moving = await open("anna");
    await register(moving, "hers_too", "anna's, too");
    await there(anna, "hers_too");
    expect(textOf(await anna.call("page_hers"))).toBe("anna's");
    expect(textOf(await ben.call("page_his"))).toBe("ben's");
    expect((await waitForStatus(hers, "connected")).user).toBe("anna");
    expect((await waitForStatus(his, "connected")).user).toBe("ben");
    // One of Anna's tabs signs in as Ben: what it has is his from then on, and nothing of her others.
    const token = await gateway.pageToken("ben");
    await moving.evaluate((token) => {
      window.lab.connection.unregisterTool("hers_too");
      window.lab.connection.setToken(token);
      window.lab.connection.registerTool("his_too", "Ben's", undefined, () => "ben's, too");
    }, token);
    await there(ben, "his_too");
    await gone(anna, "hers_too");
    expect(textOf(await ben.call("page_his_too"))).toBe("ben's, too");
    expect(textOf(await anna.call("page_hers"))).toBe("anna's");
    isOver = true;
    await Promise.all(looking);
    const pages = (names: Set<string>) => [...names].filter((name) => name.startsWith("page_")).sort();
    expect(pages(seen.ben)).toEqual(["page_his", "page_his_too"]);
    expect(pages(seen.anna).filter((name) => name !== "page_hers_too")).toEqual(["page_hers"]);
    const { items } = await gateway.api<{ items: unknown[] }>("ben", "/api/pages");
    expect(items.length).toBe(1);
  });

  test("what is too long harms its own tool or call alone", async () => {
    const client = await connect();
    const [one, two] = [await open(), await open()];
    await register(one, "steady", "yes");
    await there(client, "steady");
    const connectionOf = async () => {
      const { items } = await gateway.api<{ items: { connection: string }[] }>("anna", "/api/pages");
      return items.map((page) => page.connection);
    };
    const before = await connectionOf();
    await two.evaluate(() => {
      const { connection } = window.lab;
      connection.registerTool("long", "x".repeat(100_000), undefined, () => "never");
      connection.registerTool("longer", "x".repeat(300_000), undefined, () => "never");
      connection.registerTool("chatty", "Says much", undefined, (_args, { progress }) => {
        progress(1, 2, "y".repeat(1_000_000));
        return "done";
      });
    });
    await there(client, "chatty");
    const told: (string | undefined)[] = [];
    const result = await client.call("page_chatty", {}, { onprogress: ({ message }) => told.push(message) });
    expect(textOf(result)).toBe("done");
    expect(told).toEqual(["y".repeat(4096)]);
    await two.waitForFunction(() => window.lab.warnings.length === 2);
    expect((await two.evaluate(() => window.lab.warnings)).sort()).toEqual([
      expect.stringMatching(/^the gateway refused the tool long: the definition of `long` has \d+ bytes/),
      "the tool longer is too long to be registered",
    ]);
    expect(textOf(await client.call("page_steady"))).toBe("yes");
    const names = (await client.tools()).map((tool) => tool.name).filter((name) => name.startsWith("page_"));
    expect(names.sort()).toEqual(["page_chatty", "page_steady"]);
    expect(await connectionOf()).toEqual(before);
  });

  test("two users see nothing of each other", async () => {
    const [anna, ben] = [await connect(MODERN, "anna"), await connect("2025-06-18", "ben")];
    const elsewhere = await browser.newContext();
    await register(await open("anna"), "hers", "anna's");
    await register(await open("ben", elsewhere), "his", "ben's");
    await there(anna, "hers");
    await there(ben, "his");
    expect((await anna.tools()).map((tool) => tool.name)).not.toContain("page_his");
    expect((await ben.tools()).map((tool) => tool.name)).not.toContain("page_hers");
    const refused = await ben.call("page_hers").catch((error: unknown) => error as Error);
    expect(said(refused)).not.toContain("anna's");
    expect(refused instanceof Error || refused.isError).toBe(true);
    expect(textOf(await ben.call("page_his"))).toBe("ben's");
    await elsewhere.close();
  });

  test("a tool that the gateway does not take is told to the page, and harms no other", async () => {
    const client = await connect();
    const page = await open();
    await register(page, "no such name!", "never");
    await register(page, "good", "yes");
    await there(client, "good");
    await page.waitForFunction(() => window.lab.warnings.length > 0);
    expect(await page.evaluate(() => window.lab.warnings)).toEqual([
      expect.stringMatching(/^the gateway refused the tool no such name!: /),
    ]);
    expect(textOf(await client.call("page_good"))).toBe("yes");
  });

  test("a token that nobody knows is refused, and said so", async () => {
    const page = await openTab(context, site.url, { url: gateway.url, token: "nobody's" });
    const state = await waitForStatus(page, "refused");
    expect(state.code).toBe("credentials");
    expect(state.reason).not.toBe("");
  });

  test("a page of a foreign origin gets nowhere, with a good token too", async () => {
    const client = await connect();
    const foreign = site.url.replace("127.0.0.1", FOREIGN_HOST);
    const page = await openTab(context, foreign, { url: gateway.url, token: await gateway.pageToken("anna") });
    expect(await waitForStatus(page, "refused")).toEqual({
      status: "refused",
      code: "origin",
      reason: `pages of ${foreign} may not connect (pages.origins)`,
      hint: "add the origin to `pages.origins` in the configuration of the gateway",
    });
    await register(page, "foreign", "never");
    await register(await open(), "own", "yes");
    await there(client, "own");
    expect((await client.tools()).map((tool) => tool.name)).not.toContain("page_foreign");
  });

  test("50 MB are a file, to the byte, and the gateway stays small", async () => {
    const client = await connect();
    const page = await open();
    await page.evaluate(() => {
      window.lab.connection.registerTool("large", "50 MB", undefined, () => {
        const bytes = new Uint8Array(50_000_000);
        for (let at = 0, seed = 1; at < bytes.length; at += 1) {
          seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
          bytes[at] = seed >> 16;
        }
        return new File([bytes], "large.bin");
      });
    });
    await there(client, "large");
    const expected = Buffer.alloc(50_000_000);
    for (let at = 0, seed = 1; at < expected.length; at += 1) {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
      expected[at] = (seed >> 16) & 255;
    }
    const before = gateway.memory();
    const result = await client.call("page_large");
    const after = gateway.memory();
    expect(JSON.stringify(result)).toContain("large.bin");
    expect(JSON.stringify(result).length).toBeLessThan(20_000);
    expect(after.peak - before.now).toBeLessThan(32 * 1024 * 1024);
    const { items } = await gateway.api<{ items: { key: string; name: string; size: number }[] }>(
      "anna",
      "/api/sessions/default/files",
    );
    const file = items.find(({ name }) => name === "large.bin");
    expect(file?.size).toBe(50_000_000);
    const response = await gateway.raw("anna", `/api/files/download/${file?.key}`);
    const digest = createHash("sha256")
      .update(Buffer.from(await response.arrayBuffer()))
      .digest("hex");
    expect(digest).toBe(createHash("sha256").update(expected).digest("hex"));
    console.log(`50 MB: the gateway's peak rose by ${Math.round((after.peak - before.now) / 1024)} KiB`);
  });

  test("1,000 calls in a row and 100 at once", async () => {
    const client = await connect();
    const page = await open();
    await page.evaluate(() => {
      window.lab.connection.registerTool("echo", "Says it again", { type: "object" }, async ({ n }) => {
        await new Promise((done) => setTimeout(done, 0));
        return String(n);
      });
    });
    await there(client, "echo");
    for (let n = 0; n < 1000; n += 1) expect(textOf(await client.call("page_echo", { n }))).toBe(String(n));
    const all = await Promise.all(Array.from({ length: 100 }, (_, n) => client.call("page_echo", { n })));
    expect(all.map(textOf)).toEqual(all.map((_, n) => String(n)));
  });
});

test.skipIf(!program)("a page token that runs out is renewed by the page's function", async () => {
  const site = await new Site(inject("fixture")).start();
  const gateway = await new Program([site.url], { heartbeat_seconds: 0.2 }).start();
  const browser = await launch();
  const page = await (await browser.newContext()).newPage();
  const tokens: string[] = [];
  await page.exposeFunction("nextToken", async () => {
    const token = await gateway.pageToken("anna", { origin: site.url, seconds: tokens.length === 0 ? 1 : 600 });
    tokens.push(token);
    return token;
  });
  await page.goto(site.url);
  await page.waitForFunction(() => "lab" in window);
  await page.evaluate((url) => {
    const { nextToken } = window as unknown as { nextToken: () => Promise<string> };
    window.lab.connection = window.lab.connect({ url, token: nextToken });
  }, gateway.url);
  await register(page, "steady", "yes");
  await waitForStatus(page, "connected");
  await expect.poll(() => tokens.length, { timeout: 30_000 }).toBe(2);
  await waitForStatus(page, "connected");
  const client = await connectClient(MODERN, gateway.url, gateway.key("anna"));
  await client.until((names) => names.includes("page_steady"));
  expect(textOf(await client.call("page_steady"))).toBe("yes");
  await client.close();
  await browser.close();
  await gateway.end();
  await site.stop();
});

function said(outcome: Result | Error): string {
  return outcome instanceof Error
    ? outcome.message
    : JSON.stringify(outcome.content.map((block) => block["text"]).join("\n")).replaceAll('\\"', '"');
}
