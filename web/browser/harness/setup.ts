// One browser for the whole run. Each test gets a context of its own in it, which shares nothing
// with another's and is cheap to make.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    browserAddress: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await chromium.launchServer({
    executablePath: findChromium(),
    // Root has no sandbox of its own, and the content that is shown here is our own. The browser's
    // guard of local addresses is off: what keeps content from the canary has to be ours.
    args: [
      "--no-sandbox",
      "--force-color-profile=srgb",
      "--disable-features=LocalNetworkAccessChecks",
      "--host-resolver-rules=MAP stranger.test 127.0.0.1",
    ],
  });
  project.provide("browserAddress", server.wsEndpoint());
  return () => server.close();
}

function findChromium(): string {
  const named = process.env.RESULTANT_TEST_CHROMIUM;
  if (named !== undefined && named !== "") return named;
  const folders = (process.env.PATH ?? "").split(delimiter);
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
    if (found !== undefined) return found;
  }
  throw new Error("there is no Chromium; install it, or name it in RESULTANT_TEST_CHROMIUM");
}
