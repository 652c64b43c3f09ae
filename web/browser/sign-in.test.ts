// Who is not known yet: by a key, at an issuer, through a proxy; and out again.
import { createHash, randomBytes } from "node:crypto";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canvasOf, expectShown, mainOf, resultOf, stageOf, toolAt, waitUntilLive } from "./harness/acts";
import { Gateway } from "./harness/gateway";
import { CLIENT, Issuer } from "./harness/issuer";
import { Proxy } from "./harness/proxy";
import { arrive } from "./harness/visit";

/** What every visit of somebody unknown says in the console: the request for who it is was refused. */
const unknown = [/401/];

function userMenu(page: Page, name: string): Locator {
  return page.getByRole("banner").getByRole("button", { name: `User ${name}` });
}

/** A tool can be called, and what it made is shown from the other origin. */
async function callAndLook(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/#${toolAt("demo", "sales_report", "default")}`);
  await mainOf(page).getByRole("button", { name: "Run", exact: true }).click();
  await expectShown(resultOf(page).getByRole("status").filter({ hasText: "Done" }));
  const panel = canvasOf(page).getByRole("tabpanel", { name: "report.html" });
  const report = stageOf(panel).locator("iframe").contentFrame();
  await expectShown(report.getByRole("heading", { name: "Larkspur Tea & Coffee" }));
}

describe("by a key", () => {
  const keys = { anna: randomBytes(24).toString("hex"), ben: randomBytes(24).toString("hex") };
  const sha256 = (key: string): string => createHash("sha256").update(key).digest("hex");
  let gateway: Gateway;
  beforeAll(async () => {
    const entries = Object.entries(keys).map(([user, key]) => ({ user, sha256: sha256(key) }));
    gateway = await Gateway.start({
      credentials: { Authorization: `Bearer ${keys.anna}` },
      resultant: { auth: { mode: "token", keys: entries } },
    });
  });
  afterAll(async () => await gateway.end());

  test("a wrong one is said to be wrong, the right one opens the page, and signing out closes it", async () => {
    const { page, requests } = await arrive(gateway, gateway.url, { expected: unknown });
    const field = page.getByLabel("Your key");
    await field.fill("not a key");
    await page.getByRole("button", { name: "Sign in" }).click();
    await expectShown(page.getByRole("status").filter({ hasText: "This key is not known." }));
    await field.fill(` ${keys.anna} `);
    await page.keyboard.press("Enter");
    await waitUntilLive(page);
    await expectShown(userMenu(page, "anna"));
    await callAndLook(page, gateway.url);
    // The key is in no address, and nothing keeps it.
    expect(requests.filter((url) => url.includes(keys.anna))).toEqual([]);
    const kept = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie]));
    expect(kept).not.toContain(keys.anna);

    await page.reload();
    await waitUntilLive(page);
    await userMenu(page, "anna").click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await expectShown(page.getByLabel("Your key"));
    await page.reload();
    await expectShown(page.getByLabel("Your key"));
  });

  test("two people see nothing of each other", async () => {
    const { page } = await arrive(gateway, gateway.url, { expected: unknown });
    await page.getByLabel("Your key").fill(keys.anna);
    await page.keyboard.press("Enter");
    await waitUntilLive(page);
    await gateway.upload("default", "of-anna.txt", "mine");
    await expectShown(page.getByRole("navigation").getByRole("button", { name: /^of-anna.txt/ }));
    const { page: other } = await arrive(gateway, gateway.url, { expected: unknown });
    await other.getByLabel("Your key").fill(keys.ben);
    await other.keyboard.press("Enter");
    await waitUntilLive(other);
    await expectShown(userMenu(other, "ben"));
    await expectShown(other.getByRole("navigation").getByRole("button", { name: /^Upload/ }));
    expect(await other.getByText("of-anna.txt").count()).toBe(0);
    await expectShown(userMenu(page, "anna"));
  });
});

describe("at an issuer", () => {
  let issuer: Issuer;
  let gateway: Gateway;
  beforeAll(async () => {
    issuer = await Issuer.start();
    const audience = "http://gateway.example/mcp";
    const auth = { mode: "oidc", issuer: issuer.url, audience: [audience] };
    gateway = await Gateway.start({
      credentials: { Authorization: `Bearer ${issuer.token("anna", audience)}` },
      resultant: { auth: { ...auth, client_id: CLIENT.id, client_secret: CLIENT.secret } },
    });
  });
  afterAll(async () => {
    await gateway.end();
    await issuer.end();
  });

  test("a person goes there and comes back to where they were", async () => {
    const origins = [new RegExp(`^${issuer.url}/`)];
    const place = `/#${toolAt("demo", "sales_report", "default")}`;
    const { page, requests } = await arrive(gateway, gateway.url + place, { expected: unknown, origins });
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("link", { name: "anna" }).click();
    await waitUntilLive(page);
    await expectShown(userMenu(page, "anna"));
    await expectShown(mainOf(page).getByRole("button", { name: "Run", exact: true }));
    expect(page.url()).not.toMatch(/code|state=/);
    await callAndLook(page, gateway.url);
    expect(requests.filter((url) => url.includes(CLIENT.secret))).toEqual([]);
  });

  test("a code that another tab began with opens nothing", async () => {
    const origins = [new RegExp(`^${issuer.url}/`)];
    const { page, context } = await arrive(gateway, gateway.url, { expected: unknown, origins });
    await page.getByRole("button", { name: "Sign in" }).click();
    const chosen = await page.getByRole("link", { name: "ben" }).getAttribute("href");
    const victim = await context.newPage();
    await victim.goto(`${issuer.url}${chosen}`);
    await expectShown(victim.getByRole("button", { name: "Sign in" }));
    expect(await victim.getByRole("navigation").count()).toBe(0);
  });
});

describe("through a proxy", () => {
  const secret = randomBytes(24).toString("hex");
  let proxy: Proxy;
  let gateway: Gateway;
  beforeAll(async () => {
    proxy = await Proxy.start(() => gateway.port, secret);
    gateway = await Gateway.start({
      credentials: { "X-User": "anna", "X-Proxy-Secret": secret },
      resultant: {
        public_url: proxy.url,
        auth: { mode: "header", user_header: "X-User", secret_header: "X-Proxy-Secret", secret },
      },
    });
  });
  afterAll(async () => {
    await proxy.end();
    await gateway.end();
  });

  test("who is signed in there is in, and others are told the way", async () => {
    const origins = [new RegExp(`^${proxy.url}/`)];
    const { page } = await arrive(gateway, proxy.url, { expected: unknown, origins });
    await expectShown(page.getByText("Open this page through the proxy that signs people in."));
    proxy.person = "anna";
    await page.reload();
    await waitUntilLive(page);
    await expectShown(userMenu(page, "anna"));
    await callAndLook(page, proxy.url);
  });

  test("a page of this machine cannot use who is signed in", async () => {
    proxy.person = "anna";
    const origins = [new RegExp(`^${proxy.url}/`)];
    const { page } = await arrive(gateway, gateway.url, { expected: [/./], origins });
    const refused = await page.evaluate(async (url) => {
      const init = { method: "POST", mode: "no-cors", body: "{}" } as const;
      await fetch(`${url}/mcp`, init).catch(() => undefined);
      return await fetch(`${url}/api/me`).then((answer) => answer.status, () => "refused");
    }, proxy.url);
    expect(refused).toBe("refused");
  });
});
