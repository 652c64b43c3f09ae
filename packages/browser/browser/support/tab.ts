// Tabs of the fixture page, and what a test does in them.
import type { BrowserContext, Page } from "playwright-core";
import type { ConnectionState } from "@resultant/browser";

export interface Options {
  readonly url: string;
  readonly token?: string;
  /** `leader`: as in a browser without SharedWorker; `tab`: without Web Locks as well. */
  readonly way?: "worker" | "leader" | "tab";
}

/** Opens the page and connects. */
export async function openTab(context: BrowserContext, site: string, options: Options): Promise<Page> {
  const page = await context.newPage();
  await page.goto(site);
  await connectIn(page, options);
  return page;
}

export async function connectIn(page: Page, { url, token, way = "worker" }: Options): Promise<void> {
  await page.waitForFunction(() => "lab" in window);
  await page.evaluate(
    ({ url, token, way }) => {
      if (way === "tab") Object.defineProperty(navigator, "locks", { value: undefined });
      window.lab.connection = window.lab.connect({
        url,
        ...(token === undefined ? {} : { token }),
        ...(way === "worker" ? {} : { worker: false }),
        onWarning: (message) => window.lab.warnings.push(message),
      });
    },
    { url, token, way },
  );
}

/** Registers a tool that answers with a fixed text; the simplest there is. */
export async function register(page: Page, name: string, answer: string): Promise<void> {
  await page.evaluate(
    ({ name, answer }) => {
      window.lab.connection.registerTool(name, `Says ${answer}`, { type: "object" }, () => answer);
    },
    { name, answer },
  );
}

/** Registers a tool that tells when it is called and goes on until it is aborted. */
export async function registerEndless(page: Page, name: string): Promise<void> {
  await page.evaluate((name) => {
    window.lab.connection.registerTool(name, "Never ends", { type: "object" }, (_args, { signal, progress }) => {
      progress(1, undefined, "begun");
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          document.title = `aborted: ${(signal.reason as Error).message}`;
          reject(signal.reason as Error);
        });
      });
    });
  }, name);
}

export function stateOf(page: Page): Promise<ConnectionState> {
  return page.evaluate(() => window.lab.connection.state.get());
}

export async function waitForStatus(page: Page, status: ConnectionState["status"]): Promise<ConnectionState> {
  await page.waitForFunction((status) => window.lab.connection.state.get().status === status, status);
  return stateOf(page);
}

export function tabOf(page: Page): Promise<string> {
  return page.evaluate(() => window.lab.connection.tab);
}
