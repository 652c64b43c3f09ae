// Builds the page, the sandbox's shells and the canvas for hosts into dist/, and writes a Brotli form beside each file
// that gets smaller by it. The gateway's build script embeds what lies there.
//
// Each is built in a folder of its own first, and only what differs is written: a file that stays
// the same keeps its time, and the program that carries it is not built anew.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

const web = join(import.meta.dirname, "..");

/** The most that the page may load before it shows anything: all scripts of index.html, compressed. */
const INITIAL_SCRIPT_BYTES_MAX = 250_000;
/** The most that the canvas for hosts may have, compressed: a host loads it for every result that it shows. */
const HOST_CANVAS_BYTES_MAX = 60_000;

for (const name of ["page", "sandbox", "hostapp"]) {
  const folder = mkdtempSync(join(tmpdir(), "resultant-web-"));
  try {
    const built = spawnSync("npx", ["vite", "build", "--logLevel", "warn", "--outDir", folder, "--emptyOutDir"], {
      cwd: web,
      stdio: "inherit",
      shell: process.platform === "win32",
      env: { ...process.env, RESULTANT_BUILD: name },
    });
    if (built.status !== 0) process.exit(built.status ?? 1);
    if (name === "hostapp") oneDocument(folder);
    bring(folder, join(web, "dist", name));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
checkInitialScript(join(web, "dist", "page"));
checkHostCanvas(join(web, "dist", "hostapp", "canvas.html"));

/** Makes `target` what `folder` is, with compressed forms, and touches only what differs. */
function bring(folder, target) {
  const wanted = new Set();
  for (const path of filesOf(folder)) {
    wanted.add(path);
    const plain = readFileSync(join(folder, path));
    const packed = `${path}.br`;
    if (has(join(target, path), plain)) {
      if (existsSync(join(target, packed))) wanted.add(packed);
      continue;
    }
    // The compressed form comes first: where the plain one is, the other is known to be right.
    // Both get the same time, since one that is older than the other is taken for a leftover.
    const compressed = compress(plain);
    const now = new Date();
    if (compressed.length < plain.length * 0.9) {
      write(join(target, packed), compressed, now);
      wanted.add(packed);
    }
    write(join(target, path), plain, now);
  }
  for (const path of filesOf(target)) {
    if (!wanted.has(path)) rmSync(join(target, path));
  }
}

/** Makes one document of the canvas for hosts: a host shows a text, and gives it no address to load from. */
function oneDocument(folder) {
  const script = readFileSync(join(folder, "canvas.js"), "utf8").replaceAll("</script", "<\\/script");
  const style = readFileSync(join(folder, "canvas.css"), "utf8").replaceAll("</style", "<\\/style");
  const document = readFileSync(join(web, "hostapp", "canvas.html"), "utf8");
  // The replacement is a function, because a dollar sign in a text would mean something.
  const whole = document.replace("%STYLE%", () => style.trim()).replace("%SCRIPT%", () => script.trim());
  for (const path of filesOf(folder)) rmSync(join(folder, path));
  writeFileSync(join(folder, "canvas.html"), whole);
}

function filesOf(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => statSync(join(folder, path)).isFile());
}

function has(path, content) {
  return existsSync(path) && readFileSync(path).equals(content);
}

function compress(plain) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
  return brotliCompressSync(plain, { params });
}

function write(path, content, time) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  utimesSync(path, time, time);
}

function checkInitialScript(page) {
  const index = readFileSync(join(page, "index.html"), "utf8");
  const paths = [...index.matchAll(/(?:src|href)="\.\/([^"]+\.js)"/g)].map((match) => match[1]);
  const bytes = paths.reduce((sum, path) => {
    const packed = join(page, `${path}.br`);
    return sum + statSync(existsSync(packed) ? packed : join(page, path)).size;
  }, 0);
  console.log(`the page starts with ${bytes} bytes of compressed script, of at most ${INITIAL_SCRIPT_BYTES_MAX}`);
  if (paths.length === 0 || bytes > INITIAL_SCRIPT_BYTES_MAX) process.exit(1);
}

function checkHostCanvas(path) {
  const bytes = compress(readFileSync(path)).length;
  console.log(`the canvas for hosts has ${bytes} bytes, compressed, of at most ${HOST_CANVAS_BYTES_MAX}`);
  if (bytes > HOST_CANVAS_BYTES_MAX) process.exit(1);
}
