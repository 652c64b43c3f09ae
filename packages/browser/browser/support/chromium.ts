// The real browser.
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** A name that is not of this machine, for an origin that nobody allowed. */
export const FOREIGN_HOST = "foreign.example";

export function launch(more: string[] = []): Promise<Browser> {
  const place = process.env["RESULTANT_TEST_CHROMIUM"] ?? PLACES.find((path) => existsSync(path));
  if (!place) throw new Error("no Chromium was found: set RESULTANT_TEST_CHROMIUM to one");
  return chromium.launch({
    executablePath: place,
    args: ["--no-sandbox", `--host-resolver-rules=MAP ${FOREIGN_HOST} 127.0.0.1`, ...more],
  });
}
