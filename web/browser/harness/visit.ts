// A visit: one person with the page open in a fresh browser context. It writes down what must not
// happen (errors in the console, refused content, requests to strangers), and at its end the test
// fails if any of it did.
import { type Browser, type BrowserContext, chromium, type ConsoleMessage, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";
import { Gateway, type Settings } from "./gateway";

/** Not ours to change: what this browser says about a policy that is written for others too. */
const NOISE = [/Unrecognized Content-Security-Policy directive 'webrtc'/];

export interface VisitOptions {
  theme?: "light" | "dark";
  /** The fragment to open after the sign-in, such as `/tool/demo/weather`. */
  at?: string;
  viewport?: { width: number; height: number };
  /** Problems that this visit is about: what matches is no failure. */
  expected?: RegExp[];
  /** Origins beside the gateway's two that may be asked, such as a dashboard's. */
  origins?: RegExp[];
}

export class Visit {
  readonly problems: string[] = [];
  /** Addresses of all requests, of all frames. */
  readonly requests: string[] = [];

  constructor(
    readonly gateway: Gateway,
    readonly context: BrowserContext,
    readonly page: Page,
    private readonly options: VisitOptions,
  ) {
    this.watch(page);
    context.on("page", (other) => {
      if (other !== page) this.watch(other);
    });
    context.on("request", (request) => {
      const url = request.url();
      this.requests.push(url);
      if (!this.mayAsk(url)) this.problems.push(`request to a stranger: ${url}`);
    });
  }

  private watch(page: Page): void {
    page.on("console", (message) => this.hear(message));
    page.on("pageerror", (error) => this.problems.push(`uncaught: ${error.message}`));
    page.on("crash", () => this.problems.push("the page crashed"));
  }

  private hear(message: ConsoleMessage): void {
    const isRefusal = /Content Security Policy|Trusted ?Type|Refused to/i.test(message.text());
    if (message.type() !== "error" && !isRefusal) return;
    this.problems.push(`console ${message.type()}: ${message.text()} (${message.location().url})`);
  }

  private mayAsk(url: string): boolean {
    const { protocol, host } = new URL(url);
    if (protocol !== "http:" && protocol !== "https:" && protocol !== "ws:") return true;
    const ports = [this.gateway.port, this.gateway.sandboxPort];
    const hosts = ports.flatMap((port) => [`127.0.0.1:${port}`, `localhost:${port}`]);
    return hosts.includes(host) || (this.options.origins ?? []).some((origin) => origin.test(url));
  }

  /** Another tab of the same person, who signs in there too: credentials stay in their tab. */
  async newTab(at: string): Promise<Page> {
    const page = await this.context.newPage();
    await page.goto(await this.gateway.link());
    await page.getByRole("banner").waitFor();
    await page.goto(`${this.gateway.url}/#${at}`);
    return page;
  }

  /** What went wrong and was not expected. */
  unexpected(): string[] {
    const expected = [...NOISE, ...(this.options.expected ?? [])];
    return this.problems.filter((problem) => !expected.some((pattern) => pattern.test(problem)));
  }
}

let browser: Browser | undefined;
const visits: Visit[] = [];

beforeAll(async () => {
  browser = await chromium.connect(inject("browserAddress"));
});

afterAll(async () => {
  await browser?.close();
});

afterEach(async () => {
  const ended = visits.splice(0);
  await Promise.all(ended.map((visit) => visit.context.close()));
  expect(ended.flatMap((visit) => visit.unexpected())).toEqual([]);
});

/** A context without a page, for what is not the gateway's page. */
export async function newContext(options: VisitOptions = {}): Promise<BrowserContext> {
  if (!browser) throw new Error("the browser is started before the tests");
  return await browser.newContext({
    colorScheme: options.theme ?? "light",
    viewport: options.viewport ?? { width: 1440, height: 900 },
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
}

/** Opens the page at an address, in a context of its own: for who is not known yet. */
export async function arrive(gateway: Gateway, address: string, options: VisitOptions = {}): Promise<Visit> {
  const context = await newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const visit = new Visit(gateway, context, page, options);
  visits.push(visit);
  await page.goto(address);
  return visit;
}

/** Opens the page by a link, signed in, in a context of its own. */
export async function visit(gateway: Gateway, options: VisitOptions = {}): Promise<Visit> {
  const visit = await arrive(gateway, await gateway.link(), options);
  const { page } = visit;
  await page.getByRole("banner").waitFor();
  if (options.at !== undefined) await page.goto(`${gateway.url}/#${options.at}`);
  return visit;
}

/** A gateway for all tests of a file. */
export function useGateway(settings: Settings = {}): () => Gateway {
  let gateway: Gateway | undefined;
  beforeAll(async () => {
    gateway = await Gateway.start(settings);
  });
  afterAll(async () => {
    await gateway?.end();
  });
  return () => {
    if (!gateway) throw new Error("the gateway is started before the tests");
    return gateway;
  };
}
