// Builds the package into dist/: ESM with types, the worker as a file of its own, and the demo page.
// Says how large it is, and fails where that is more than a page should be asked for.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "vite";

/** All of it together: what a page loads, the hook, and what its worker loads. */
const GZIP_BYTES_MAX = 12 * 1024;

const folder = join(import.meta.dirname, "..");
const dist = join(folder, "dist");
const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

rmSync(dist, { recursive: true, force: true });
await library({ index: "src/index.ts", react: "src/react.tsx", worker: "src/worker.ts" });
declarations();
const isSmall = sizes();
await demo();
if (!isSmall) process.exit(1);

async function library(entry) {
  await build({
    root: folder,
    configFile: false,
    logLevel: "warn",
    define: { __VERSION__: JSON.stringify(version) },
    build: {
      outDir: dist,
      emptyOutDir: false,
      target: "es2022",
      minify: "oxc",
      sourcemap: true,
      lib: {
        entry: Object.fromEntries(Object.entries(entry).map(([name, path]) => [name, join(folder, path)])),
        formats: ["es"],
      },
      rollupOptions: {
        external: ["react"],
        output: { entryFileNames: "[name].js", chunkFileNames: "[name].js", minify: true },
      },
    },
  });
  // Bundlers know a worker by these very words, so they must stand in the file that a bundler reads
  // and must not be read by the one that writes it.
  for (const name of scripts()) {
    const text = readFileSync(join(dist, name), "utf8");
    writeFileSync(join(dist, name), text.replaceAll("__WORKER__", 'new URL("./worker.js",import.meta.url)'));
  }
}

function scripts() {
  return readdirSync(dist).filter((name) => name.endsWith(".js"));
}

function declarations() {
  const told = spawnSync("npx", ["tsc", "-p", "tsconfig.build.json"], { cwd: folder, stdio: "inherit" });
  if (told.status !== 0) process.exit(told.status ?? 1);
}

function sizes() {
  let sum = 0;
  for (const name of scripts()) {
    const plain = readFileSync(join(dist, name));
    const gzip = gzipSync(plain, { level: 9 }).length;
    sum += gzip;
    console.log(
      `${name.padEnd(13)} ${plain.length} bytes, ${gzip} with gzip, ${brotliCompressSync(plain).length} with Brotli`,
    );
  }
  console.log(`together      ${sum} bytes with gzip, of at most ${GZIP_BYTES_MAX}`);
  return sum <= GZIP_BYTES_MAX;
}

async function demo() {
  await build({
    root: join(folder, "demo"),
    configFile: false,
    logLevel: "warn",
    base: "./",
    worker: { format: "es" },
    build: {
      outDir: join(dist, "demo"),
      emptyOutDir: true,
      target: "es2022",
      modulePreload: false,
      assetsInlineLimit: 0,
    },
  });
}
