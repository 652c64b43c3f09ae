// Builds the package and the fixture pages once for all browser tests: the pages take the built
// package through a bundler, as a user's page does.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "vite";
import "vitest";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    fixture: string;
  }
}

const folder = join(import.meta.dirname, "../..");

export default async function setup(project: TestProject): Promise<() => void> {
  const built = spawnSync("node", ["scripts/build.mjs"], { cwd: folder, encoding: "utf8" });
  if (built.status !== 0) throw new Error(`the package does not build:\n${built.stdout}${built.stderr}`);
  const out = mkdtempSync(join(tmpdir(), "resultant-fixture-"));
  const root = join(folder, "browser/fixture");
  await build({
    root,
    configFile: false,
    logLevel: "warn",
    base: "./",
    define: { "process.env.NODE_ENV": JSON.stringify("development") },
    worker: { format: "es" },
    build: {
      outDir: out,
      emptyOutDir: true,
      target: "es2022",
      minify: false,
      rollupOptions: {
        input: {
          index: join(root, "index.html"),
          react: join(root, "react.html"),
          examples: join(root, "examples.html"),
        },
      },
    },
  });
  project.provide("fixture", out);
  return () => rmSync(out, { recursive: true, force: true });
}
