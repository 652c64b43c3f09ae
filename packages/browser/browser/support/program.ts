// The real gateway as a process: a free port, a data folder of its own, a key for each user, stopped
// by its id, and started again on the same address where a test wants to see that.
import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../../../..");

/** The program under test, or nothing where it is not built. */
export const program = findProgram();

function findProgram(): string | undefined {
  const named = process.env["RESULTANT_TEST_BINARY"];
  if (named) return resolve(root, named);
  const built = join(process.env["CARGO_TARGET_DIR"] ?? join(root, "target"), "debug/resultant");
  return existsSync(built) ? built : undefined;
}

const USERS = ["anna", "ben"] as const;
export type User = (typeof USERS)[number];

export class Program {
  readonly #folder = mkdtempSync(join(tmpdir(), "resultant-page-"));
  readonly #keys = new Map<User, string>(USERS.map((user) => [user, `rk_${randomBytes(32).toString("base64url")}`]));
  #port = 0;
  #child: ChildProcess | undefined;
  log = "";

  constructor(
    readonly origins: readonly string[],
    readonly pages: object = {},
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  key(user: User): string {
    return this.#keys.get(user) ?? "";
  }

  async start(): Promise<this> {
    this.#port ||= await freePort();
    const keys = [...this.#keys].map(([user, key]) => ({
      user,
      sha256: createHash("sha256").update(key).digest("hex"),
    }));
    const config = {
      mcpServers: {},
      resultant: {
        listen: `127.0.0.1:${this.#port}`,
        data: join(this.#folder, "data"),
        auth: { mode: "token", keys },
        pages: { origins: this.origins, ...this.pages },
      },
    };
    const path = join(this.#folder, "resultant.json");
    writeFileSync(path, JSON.stringify(config));
    if (!program) throw new Error("there is no program: build it, or name one in RESULTANT_TEST_BINARY");
    const child = spawn(program, ["serve", "--config", path], {
      cwd: this.#folder,
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#child = child;
    await new Promise<void>((done, fail) => {
      child.once("error", fail);
      child.once("exit", (code) => fail(new Error(`the gateway ended with ${code}:\n${this.log}`)));
      child.stderr?.setEncoding("utf8").on("data", (text: string) => {
        this.log += text;
        if (/^listening on http:/m.test(this.log)) done();
      });
    });
    child.removeAllListeners("exit");
    return this;
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    this.log = "";
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((done) => child.once("exit", done));
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
    await ended;
    clearTimeout(timer);
  }

  async end(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async api<T>(user: User, path: string, body?: object): Promise<T> {
    const response = await this.raw(user, path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  }

  raw(user: User, path: string, body?: object): Promise<Response> {
    const headers = { Authorization: `Bearer ${this.key(user)}`, "Content-Type": "application/json" };
    return fetch(new URL(path, this.url), body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers });
  }

  /** A token for pages only. */
  async pageToken(user: User, wanted: object = {}): Promise<string> {
    return (await this.api<{ token: string }>(user, "/api/page-tokens", wanted)).token;
  }

  /** The most memory that the program had so far, in bytes, and what it has now; on Linux. */
  memory(): { peak: number; now: number } {
    const status = readFileSync(`/proc/${this.#child?.pid}/status`, "utf8");
    const of = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024;
    return { peak: of("VmHWM"), now: of("VmRSS") };
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
