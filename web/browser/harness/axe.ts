// Accessibility by axe-core, in the page and in every frame of ours. The script is evaluated by the
// browser's own debugger, because the page's policy lets no stranger's script in.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Frame, Page } from "playwright-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Finding {
  id: string;
  impact: string | null;
  help: string;
  nodes: { target: unknown[]; html: string; failureSummary?: string }[];
}

/** Serious and critical findings, each as a line; in the sandbox's shells too, unless frames are others'. */
export async function seriousFindings(page: Page, withFrames = true): Promise<string[]> {
  const lines: string[] = [];
  for (const frame of withFrames ? page.frames() : [page.mainFrame()]) {
    // What is inside a shell is the content of others, and mostly in a frame without scripts.
    if (frame.isDetached() || frame.url() === "about:srcdoc" || frame.url().startsWith("blob:")) continue;
    lines.push(...(await findingsIn(frame)));
  }
  return lines;
}

/** The same of one frame, whatever it is. */
export async function findingsIn(frame: Frame): Promise<string[]> {
  const lines: string[] = [];
  for (const { id, impact, help, nodes } of await findingsOf(frame)) {
    if (impact !== "serious" && impact !== "critical") continue;
    for (const node of nodes.slice(0, 5)) {
      lines.push(`${impact} ${id}: ${help}: ${JSON.stringify(node.target)} ${node.html.slice(0, 160)} ${node.failureSummary?.split("\n")[1] ?? ""}`);
    }
  }
  return lines;
}

async function findingsOf(frame: Frame): Promise<Finding[]> {
  // Frames are looked at one by one, so that none has to let another speak to it.
  const options = { iframes: false, resultTypes: ["violations"] };
  const run = `axe.run(document, ${JSON.stringify(options)}).then((result) => result.violations)`;
  return await frame.evaluate<Finding[]>(`(() => { ${source}; return ${run}; })()`);
}
