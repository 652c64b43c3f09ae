// Pictures of the page: for whoever looks at a change, and, with RESULTANT_UPDATE=1, those that the
// documentation shows.
import { mkdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const web = resolve(import.meta.dirname, "../..");
const isUpdating = process.env.RESULTANT_UPDATE === "1";

/** The most that a picture of the documentation may weigh. */
const BYTES_MAX = 400_000;

/** The states that the documentation shows. */
const FOR_DOCS = /^(report-light|model-dark|table-dark|dashboard-light)$/;

export async function takePicture(page: Page, name: string): Promise<void> {
  const isForDocs = isUpdating && FOR_DOCS.test(name);
  const folder = isForDocs ? resolve(web, "../docs/images") : join(web, "screenshots");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path, animations: "disabled", caret: "hide" });
  if (isForDocs) expect(statSync(path).size, `${name} is too heavy for the repository`).toBeLessThan(BYTES_MAX);
}
