// A browser and a site for a file of tests; a context and a peer for each test.
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, inject } from "vitest";
import { launch } from "./chromium.js";
import { Peer } from "./peer.js";
import { Site } from "./site.js";

export interface Parts {
  browser: Browser;
  site: Site;
  peer: Peer;
  context: BrowserContext;
}

/** Tells `take` before each test what it has to work with. */
export function withPeer(take: (parts: Parts) => unknown): void {
  let browser: Browser;
  let site: Site;
  let peer: Peer;
  let context: BrowserContext;
  beforeAll(async () => {
    browser = await launch();
    site = await new Site(inject("fixture")).start();
  });
  afterAll(async () => {
    await browser.close();
    await site.stop();
  });
  beforeEach(async () => {
    peer = await new Peer().start();
    context = await browser.newContext();
    await take({ browser, site, peer, context });
  });
  afterEach(async () => {
    await context.close();
    await peer.stop();
  });
}
