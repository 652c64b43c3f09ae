// The package in a real browser, against a peer that shows every frame.
import type { Browser, BrowserContext, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { FOREIGN_HOST } from "./support/chromium.js";
import type { Answer, Peer, Told } from "./support/peer.js";
import type { Site } from "./support/site.js";
import { connectIn, openTab, register, registerEndless, stateOf, tabOf, waitForStatus } from "./support/tab.js";
import { withPeer } from "./support/with-peer.js";

let browser: Browser;
let site: Site;
let peer: Peer;
let context: BrowserContext;
withPeer((parts) => ({ browser, site, peer, context } = parts));

const textOf = (answer: Answer) => answer.result?.content[0]?.["text"];
const open = (options: { token?: string; way?: "worker" | "leader" | "tab" } = {}) =>
  openTab(context, site.url, { url: peer.url, ...options });

/** A call that a tab has begun with; its answer comes later, if at all. */
async function begun(name: string): Promise<{ running: Promise<Answer> }> {
  let running: Promise<Answer> | undefined;
  await new Promise<Told>((begin) => {
    running = peer.call(name, {}, undefined, begin).answer;
  });
  if (!running) throw new Error("the call has no answer to wait for");
  return { running };
}

describe.each(["worker", "leader"] as const)("tabs that share a connection by a %s", (way) => {
  test("register and are called, on one connection", async () => {
    const [one, two] = [await open({ way }), await open({ way })];
    await register(one, "first", "one");
    await register(two, "second", "two");
    await peer.registered("first");
    await peer.registered("second");
    expect(textOf(await peer.call("first").answer)).toBe("one");
    expect(textOf(await peer.call("second").answer)).toBe("two");
    expect(peer.connections).toBe(1);
    expect(await one.evaluate(() => window.lab.connection.way.get())).toBe(way);
  });

  test("are chosen by name, else by who has the tool, else by the focus", async () => {
    const [one, two] = [await open({ way }), await open({ way })];
    for (const [page, answer] of [
      [one, "one"],
      [two, "two"],
    ] as const)
      await register(page, "who", answer);
    await peer.heard((frame) => frame.type === "register" && frame["id"] === 2);
    await focus(one);
    expect(textOf(await peer.call("who").answer)).toBe("one");
    await focus(two);
    expect(textOf(await peer.call("who").answer)).toBe("two");
    expect(textOf(await peer.call("who", {}, await tabOf(one)).answer)).toBe("one");
    const { failed } = await peer.call("who", {}, "nowhere").answer;
    expect(failed).toBe("the tab nowhere is not open any more");
  });

  test("fail their calls when they are closed, and only theirs", async () => {
    const [one, two] = [await open({ way }), await open({ way })];
    await registerEndless(two, "endless");
    await register(one, "other", "still here");
    await peer.registered("endless");
    await peer.registered("other");
    const { running } = await begun("endless");
    await two.close();
    expect((await running).failed).toBe('the tab "Fixture" was closed while endless was running');
    await peer.heard((frame) => frame.type === "tab_closed");
    expect(textOf(await peer.call("other").answer)).toBe("still here");
    expect(peer.connections).toBe(1);
  });

  test("fail their calls when they are reloaded", async () => {
    const [, page] = [await open({ way }), await open({ way })];
    await registerEndless(page, "endless");
    await peer.registered("endless");
    const { running } = await begun("endless");
    await page.reload();
    expect((await running).failed).toBe('the tab "Fixture" was closed while endless was running');
    await connectIn(page, { url: peer.url, way });
    await register(page, "after", "again");
    await peer.registered("after");
    expect(textOf(await peer.call("after").answer)).toBe("again");
    expect(peer.connections).toBe(1);
  });

  test("say everything again to a gateway that comes back", async () => {
    const page = await open({ way });
    await register(page, "steady", "yes");
    await peer.registered("steady");
    await peer.stop();
    await waitForStatus(page, "reconnecting");
    peer.told.length = 0;
    await peer.start();
    await waitForStatus(page, "connected");
    await peer.registered("steady");
    expect(textOf(await peer.call("steady").answer)).toBe("yes");
  });
});

async function focus(page: Page): Promise<void> {
  const tab = await tabOf(page);
  const before = peer.told.length;
  await page.bringToFront();
  await page.evaluate(() => dispatchEvent(new Event("focus")));
  await peer.heard(
    (frame) =>
      frame.type === "tab" && frame["tab"] === tab && frame["active"] === true && peer.told.indexOf(frame) >= before,
  );
}

describe("a tab that goes in the middle of a call is missed", () => {
  async function goesFrom(address: string, isSilent: boolean): Promise<void> {
    const options = { url: peer.url };
    const [other, page] = [await openTab(context, address, options), await context.newPage()];
    await page.goto(address);
    // As when its process is killed: nobody is told that the page goes.
    if (isSilent) {
      await page.evaluate(() =>
        addEventListener("pagehide", (event) => event.stopImmediatePropagation(), { capture: true }),
      );
    }
    await connectIn(page, options);
    await registerEndless(page, "endless");
    await register(other, "other", "still here");
    await peer.registered("endless");
    await peer.registered("other");
    const { running } = await begun("endless");
    await page.close();
    expect((await running).failed).toBe('the tab "Fixture" was closed while endless was running');
    expect(textOf(await peer.call("other").answer)).toBe("still here");
    expect(peer.connections).toBe(1);
  }

  test("by its lock, without a word", () => goesFrom(site.url, true));
  test("by its last word, on plain http, where there are no locks", () =>
    goesFrom(site.url.replace("127.0.0.1", FOREIGN_HOST), false));
});

test("a worker that dies is missed, and started again", async () => {
  const page = await open();
  await register(page, "steady", "yes");
  await peer.registered("steady");
  peer.told.length = 0;
  const session = await browser.newBrowserCDPSession();
  const { targetInfos } = await session.send("Target.getTargets");
  const worker = targetInfos.find(({ type }) => type === "shared_worker");
  await session.send("Target.closeTarget", { targetId: worker?.targetId ?? "" });
  await peer.registered("steady");
  expect(textOf(await peer.call("steady").answer)).toBe("yes");
  expect(peer.connections).toBe(2);
});

test.each(["worker", "leader", "tab"] as const)(
  "a page that is left and comes back is there again, by a %s",
  async (way) => {
    const page = await open({ way });
    await register(page, "steady", "yes");
    await peer.registered("steady");
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true })));
    await peer.heard((frame) => frame.type === "tab_closed" || peer.sockets.size === 0);
    peer.told.length = 0;
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));
    await peer.registered("steady");
    expect(textOf(await peer.call("steady").answer)).toBe("yes");
  },
);

test("a tab that defines a tool otherwise than another is told", async () => {
  const [one, two] = [await open(), await open()];
  await register(one, "same", "one");
  await peer.registered("same");
  await register(two, "same", "two");
  await two.waitForFunction(() => window.lab.warnings.length > 0);
  expect(await two.evaluate(() => window.lab.warnings)).toEqual([
    "another tab has registered same otherwise; its definition is listed until it goes",
  ]);
});

test("a large result comes in frames, inside the window, to the byte", async () => {
  const page = await open();
  await page.evaluate(() => {
    window.lab.connection.registerTool("large", "Large", undefined, () => {
      const bytes = new Uint8Array(5_000_001);
      for (let at = 0; at < bytes.length; at += 1) bytes[at] = (at * 7) % 251;
      return new File([bytes], "large.bin");
    });
  });
  await peer.registered("large");
  const { result, frames, unacknowledgedMax } = await peer.call("large").answer;
  const resource = result?.content[0]?.["resource"] as { blob: string };
  const bytes = Buffer.from(resource.blob, "base64");
  expect(bytes.length).toBe(5_000_001);
  expect(bytes.every((byte, at) => byte === (at * 7) % 251)).toBe(true);
  expect(frames).toBe(Math.ceil(JSON.stringify(result).length / (262_144 - 5)));
  expect(unacknowledgedMax).toBeLessThanOrEqual(1024 * 1024);
});

test("a large result waits for its acknowledgements, and stops when it is cancelled", async () => {
  peer.acknowledges = false;
  const page = await open();
  await page.evaluate(() => {
    const { connection } = window.lab;
    connection.registerTool("large", "Large", undefined, (_args, { signal }) => {
      signal.addEventListener("abort", () => (document.title = "stopped"));
      return new Uint8Array(3_000_000);
    });
    connection.registerTool("small", "Small", undefined, () => "small");
  });
  await peer.registered("large");
  const { id } = peer.call("large");
  const full = 4 * (262_144 - 5);
  await peer.heard(() => peer.received(id) >= full - 262_144);
  expect(textOf(await peer.call("small").answer)).toBe("small");
  expect(peer.received(id)).toBeLessThanOrEqual(1024 * 1024);
  peer.say({ type: "cancel", call: id, reason: "nobody waits" });
  await page.waitForFunction(() => document.title === "stopped");
  peer.acknowledge(id);
  expect(textOf(await peer.call("small").answer)).toBe("small");
  expect(peer.received(id)).toBeLessThanOrEqual(1024 * 1024);
});

test("a result that the gateway would not take is not sent", async () => {
  peer.resultBytesMax = 1000;
  const page = await open();
  await page.evaluate(() => {
    window.lab.connection.registerTool("large", "Large", undefined, () => "x".repeat(2000));
  });
  await peer.registered("large");
  expect((await peer.call("large").answer).failed).toBe("the result has 2039 bytes as JSON; the gateway takes 1000");
});

test("a cancelled call aborts its handler with the reason, and says nothing more", async () => {
  const page = await open();
  await registerEndless(page, "endless");
  await peer.registered("endless");
  const seen: Told[] = [];
  let id = "";
  await new Promise<void>((begin) => {
    ({ id } = peer.call("endless", {}, undefined, (progress) => {
      seen.push(progress);
      begin();
    }));
  });
  expect(seen).toEqual([{ type: "progress", call: id, progress: 1, message: "begun" }]);
  peer.say({ type: "cancel", call: id, reason: "the caller left" });
  await page.waitForFunction(() => document.title === "aborted: the caller left");
  await register(page, "next", "next");
  await peer.registered("next");
  expect(peer.told.filter((frame) => frame["call"] === id && frame.type !== "progress")).toEqual([]);
});

describe("tokens", () => {
  test("a new token of the same user keeps the connection", async () => {
    const page = await open({ token: "anna:1" });
    await register(page, "hers", "anna's");
    await peer.registered("hers");
    await page.evaluate(() => window.lab.connection.setToken("anna:2"));
    await peer.heard((frame) => frame.type === "token" && frame["token"] === "anna:2");
    expect(textOf(await peer.call("hers").answer)).toBe("anna's");
    expect(peer.connections).toBe(1);
  });

  test("tabs of two users have a connection each, also where the users have one name", async () => {
    for (const [first, second] of [
      ["anna", "ben"],
      ["eve-1", "eve-2"],
    ] as const) {
      const before = peer.connections;
      const [one, two] = [await open({ token: `${first}:1` }), await open({ token: `${second}:1` })];
      await register(one, `of-${first}`, first);
      await register(two, `of-${second}`, second);
      await peer.registered(`of-${first}`, first);
      await peer.registered(`of-${second}`, second);
      expect((await waitForStatus(one, "connected")).user).toBe(first.split("-")[0]);
      expect((await waitForStatus(two, "connected")).user).toBe(second.split("-")[0]);
      expect(textOf(await peer.call(`of-${first}`).answer)).toBe(first);
      expect(textOf(await peer.call(`of-${second}`).answer)).toBe(second);
      expect(peer.usersOf(`of-${first}`)).toEqual(new Set([first]));
      expect(peer.usersOf(`of-${second}`)).toEqual(new Set([second]));
      expect(peer.connections).toBe(before + 2);
      await Promise.all([one.close(), two.close()]);
      await expect.poll(() => peer.sockets.size).toBe(0);
    }
  });

  test("a tab that signs in as another user takes its tools there, and says nothing new meanwhile", async () => {
    const [one, two] = [await open({ token: "anna:1" }), await open({ token: "anna:2" })];
    await register(one, "moves", "moved");
    await register(two, "stays", "stayed");
    await peer.registered("moves");
    await peer.registered("stays");
    expect(peer.connections).toBe(1);
    await one.evaluate(() => {
      const { connection } = window.lab;
      connection.setToken("ben:1");
      setTimeout(() => connection.registerTool("late", "Late", undefined, () => "late"));
    });
    await peer.registered("moves", "ben");
    await peer.registered("late", "ben");
    expect(peer.usersOf("late")).toEqual(new Set(["ben"]));
    expect(peer.usersOf("stays")).toEqual(new Set(["anna"]));
    const tab = await tabOf(one);
    await peer.heard((frame) => frame.type === "tab_closed" && frame["tab"] === tab && peer.userOf(frame) === "anna");
    expect((await waitForStatus(one, "connected")).user).toBe("ben");
    expect((await stateOf(two)).user).toBe("anna");
    expect(textOf(await peer.call("moves").answer)).toBe("moved");
    expect(textOf(await peer.call("stays").answer)).toBe("stayed");
    // Back again, with a token that nobody has shown before: to the connection that there is.
    peer.told.length = 0;
    await one.evaluate(() => window.lab.connection.setToken("anna:3"));
    await peer.registered("moves", "anna");
    await expect.poll(() => peer.sockets.size).toBe(1);
    expect((await waitForStatus(one, "connected")).user).toBe("anna");
    expect(textOf(await peer.call("moves").answer)).toBe("moved");
    expect(textOf(await peer.call("stays").answer)).toBe("stayed");
  });

  test("a call that comes while a tab signs in waits, and is made where the tab stays", async () => {
    const page = await open({ token: "anna:1" });
    await register(page, "mine", "mine");
    await peer.registered("mine");
    await waitForStatus(page, "connected");
    await page.evaluate(() => window.lab.connection.setToken("anna:2"));
    const { answer } = peer.call("mine");
    await peer.heard((frame) => frame.type === "token" && frame["token"] === "anna:2");
    expect(textOf(await answer)).toBe("mine");
    expect(peer.connections).toBe(1);
  });

  test("where nobody shows a token, tabs of the last user are put aside when another signs in", async () => {
    const page = await open();
    await register(page, "mine", "mine");
    await peer.registered("mine", "local");
    peer.local = "ben";
    for (const socket of peer.sockets) socket.cut();
    expect(await waitForStatus(page, "refused")).toMatchObject({
      code: "another_user",
      reason: "ben signed in meanwhile",
    });
    expect(peer.usersOf("mine")).toEqual(new Set(["local"]));
    await page.evaluate(() => window.lab.connection.setToken(undefined));
    await peer.registered("mine", "ben");
    expect((await waitForStatus(page, "connected")).user).toBe("ben");
  });

  test("one tab's bad token does not take the connection from the others", async () => {
    const good = await open({ token: "anna:1" });
    await register(good, "mine", "mine");
    await peer.registered("mine");
    peer.refusedTokens.add("stale:1");
    const stale = await open({ token: "stale:1" });
    await register(stale, "never", "never");
    expect((await waitForStatus(stale, "refused")).reason).toBe("this token is not known");
    expect((await stateOf(good)).user).toBe("anna");
    expect(textOf(await peer.call("mine").answer)).toBe("mine");
    expect((await peer.call("never").answer).failed).toMatch(/no open tab/);
    await stale.evaluate(() => window.lab.connection.setToken("anna:2"));
    await peer.registered("never");
    expect((await waitForStatus(stale, "connected")).user).toBe("anna");
    expect(peer.connections).toBe(1);
  });

  test("a token that runs out is followed by another tab's of the same user", async () => {
    const [one, two] = [await open({ token: "anna:1" }), await open({ token: "anna:2" })];
    await register(one, "first", "one");
    await register(two, "second", "two");
    await peer.registered("first");
    await peer.registered("second");
    peer.told.length = 0;
    peer.refusedTokens.add("anna:2");
    for (const socket of peer.sockets) socket.cut();
    await peer.registered("first");
    expect((await waitForStatus(one, "connected")).user).toBe("anna");
    expect((await waitForStatus(two, "refused")).code).toBe("credentials");
    expect(textOf(await peer.call("first").answer)).toBe("one");
  });

  test("a token that is refused again and again is asked for again and again", async () => {
    peer.refusedTokens = new Set(["anna:1", "anna:2", "undefined"]);
    const page = await context.newPage();
    await page.goto(site.url);
    await page.waitForFunction(() => "lab" in window);
    await page.evaluate((url) => {
      const tokens = ["anna:1", "anna:1", "throws", "anna:2", "anna:3"];
      window.lab.connection = window.lab.connect({
        url,
        token: async () => {
          const token = tokens.shift();
          if (token === "throws") throw new Error("the server is busy");
          return token;
        },
        onWarning: (message) => window.lab.warnings.push(message),
      });
    }, peer.url);
    await peer.heard((frame) => frame.type === "hello" && frame["token"] === "anna:3");
    await waitForStatus(page, "connected");
    expect(await page.evaluate(() => window.lab.warnings)).toEqual(["no token could be had: the server is busy"]);
    const shown = peer.told.filter((frame) => frame.type === "hello").map((frame) => frame["token"]);
    expect(shown).toEqual(["anna:1", "anna:2", "anna:3"]);
  });

  test("a refused token says so, and the next one connects", async () => {
    peer.refusedTokens.add("old:1");
    const page = await open({ token: "old:1" });
    const state = await waitForStatus(page, "refused");
    expect(state).toEqual({
      status: "refused",
      code: "credentials",
      reason: "this token is not known",
      hint: "sign in again",
    });
    await page.evaluate(() => window.lab.connection.setToken("anna:1"));
    expect((await waitForStatus(page, "connected")).user).toBe("anna");
  });

  test("a function is asked for another token when one runs out", async () => {
    const page = await context.newPage();
    await page.goto(site.url);
    await page.waitForFunction(() => "lab" in window);
    await page.evaluate((url) => {
      let number = 0;
      window.lab.connection = window.lab.connect({ url, token: async () => `anna:${(number += 1)}` });
    }, peer.url);
    await waitForStatus(page, "connected");
    peer.refusedTokens.add("anna:1");
    for (const socket of peer.sockets) socket.cut();
    await peer.heard((frame) => frame.type === "hello" && frame["token"] === "anna:2");
    await waitForStatus(page, "connected");
  });
});

test("a token that runs out on an open connection is renewed, and everything registered again", async () => {
  const page = await context.newPage();
  await page.goto(site.url);
  await page.waitForFunction(() => "lab" in window);
  await page.evaluate((url) => {
    let number = 0;
    window.lab.connection = window.lab.connect({ url, token: async () => `anna:${(number += 1)}` });
  }, peer.url);
  await register(page, "steady", "yes");
  await peer.registered("steady");
  peer.told.length = 0;
  peer.say({ type: "refused", code: "expired", reason: "the token is over" });
  for (const socket of peer.sockets) socket.close(4401);
  await peer.heard((frame) => frame.type === "hello" && frame["token"] === "anna:2");
  await peer.registered("steady");
});

test("a gateway that falls silent is left, and met again", async () => {
  peer.heartbeatMs = 200;
  const page = await open();
  await peer.heard((frame) => frame.type === "hello");
  await page.waitForFunction(() => window.lab.connection.state.get().reason === "the gateway fell silent");
  expect((await stateOf(page)).status).toBe("reconnecting");
  peer.heartbeatMs = 60_000;
  await waitForStatus(page, "connected");
  peer.say({ type: "ping" });
  await peer.heard((frame) => frame.type === "pong");
});

test("a tab too many is told so, and is there when another goes", async () => {
  peer.tabsMax = 1;
  const one = await open();
  await register(one, "first", "one");
  await peer.registered("first");
  const two = await open();
  await register(two, "second", "two");
  expect(await waitForStatus(two, "refused")).toEqual({
    status: "refused",
    code: "limits",
    reason: "too many tabs",
    hint: "close some",
  });
  expect(textOf(await peer.call("first").answer)).toBe("one");
  expect((await stateOf(one)).status).toBe("connected");
  await one.close();
  await waitForStatus(two, "connected");
  await expect.poll(async () => textOf(await peer.call("second").answer)).toBe("two");
  expect(peer.connections).toBe(1);
});

test("one name with two definitions: the first stays until it goes", async () => {
  const page = await open();
  const counts = await page.evaluate(() => {
    const { connection, warnings } = window.lab;
    const tool = (description: string) => connection.registerTool("twice", description, undefined, () => description);
    const takeFirst = tool("one");
    tool("two");
    Object.assign(window, { takeFirst });
    return warnings;
  });
  expect(counts).toEqual(["twice is registered already with another definition; the first one stays until it goes"]);
  await peer.registered("twice");
  expect(textOf(await peer.call("twice").answer)).toBe("one");
  await page.evaluate(() => (window as unknown as { takeFirst: () => void }).takeFirst());
  await peer.heard(
    (frame) => frame.type === "register" && (frame["tool"] as { description: string }).description === "two",
  );
  expect(textOf(await peer.call("twice").answer)).toBe("two");
  expect(peer.told.filter((frame) => frame.type === "unregister")).toEqual([]);
  await page.evaluate(() => window.lab.connection.unregisterTool("twice"));
  await peer.heard((frame) => frame.type === "unregister" && frame["name"] === "twice");
});

test("Zod's schemas are taken, and parse the arguments", async () => {
  const page = await open();
  await page.evaluate(() => {
    const { connection, z, mini } = window.lab;
    const inputSchema = z.object({ city: z.string(), days: z.number().default(3) });
    connection.registerTool("zod", "With Zod", inputSchema, ({ city, days }) => `${city}, ${days + 1}`, {
      outputSchema: z.array(z.string()),
    });
    connection.registerTool("json", "Converted", z.object({ a: z.string() }).toJSONSchema(), () => "");
    try {
      connection.registerTool("mini", "Mini", mini.object({ a: mini.string() }), () => "");
    } catch (error) {
      document.title = String(error);
    }
  });
  const { tool } = (await peer.registered("zod")) as unknown as { tool: Record<string, Record<string, unknown>> };
  expect(tool["inputSchema"]).toMatchObject({ type: "object", required: ["city"] });
  expect(tool["outputSchema"]).toMatchObject({ type: "array", items: { type: "string" } });
  expect(textOf(await peer.call("zod", { city: "Bergen" }).answer)).toBe("Bergen, 4");
  const { result } = await peer.call("zod", { days: "x" }).answer;
  expect(result?.isError).toBe(true);
  expect(result?.content[0]?.["text"]).toMatch(/^the arguments do not fit: city: .*; days: /);
});

describe("where a page may not have a worker", () => {
  test("its policy forbids it: the tabs lead themselves", async () => {
    const policy = `script-src 'self'; worker-src 'none'; connect-src ${peer.url.replace("http", "ws")}`;
    const address = `${site.url}/?csp=${encodeURIComponent(policy)}`;
    const [one, two] = [
      await openTab(context, address, { url: peer.url }),
      await openTab(context, address, { url: peer.url }),
    ];
    await register(one, "first", "one");
    await register(two, "second", "two");
    await peer.registered("second");
    await peer.registered("first");
    expect(textOf(await peer.call("first").answer)).toBe("one");
    expect(textOf(await peer.call("second").answer)).toBe("two");
    expect(await two.evaluate(() => window.lab.connection.way.get())).toBe("leader");
    expect(peer.connections).toBe(1);
  });

  test("it wants trusted types: the same", async () => {
    const policy = "require-trusted-types-for 'script'; trusted-types 'none'";
    const page = await openTab(context, `${site.url}/?csp=${encodeURIComponent(policy)}`, { url: peer.url });
    await register(page, "first", "one");
    await peer.registered("first");
    expect(textOf(await peer.call("first").answer)).toBe("one");
    expect(await page.evaluate(() => window.lab.connection.way.get())).toBe("leader");
  });

  test("nor locks: each tab has its own connection", async () => {
    const [one, two] = [await open({ way: "tab" }), await open({ way: "tab" })];
    await waitForStatus(one, "connected");
    await waitForStatus(two, "connected");
    expect(peer.connections).toBe(2);
  });
});

test("the leading tab goes and another takes over", async () => {
  const one = await open({ way: "leader" });
  await waitForStatus(one, "connected");
  const two = await open({ way: "leader" });
  await register(two, "second", "two");
  await peer.registered("second");
  peer.told.length = 0;
  await one.close();
  await peer.registered("second");
  expect(textOf(await peer.call("second").answer)).toBe("two");
  expect(peer.sockets.size).toBe(1);
});

test("a tab without tabs beside it closes its connection", async () => {
  const page = await open();
  await waitForStatus(page, "connected");
  await page.evaluate(() => window.lab.connection.close());
  await expect.poll(() => peer.sockets.size).toBe(0);
  expect((await stateOf(page)).status).toBe("closed");
});
