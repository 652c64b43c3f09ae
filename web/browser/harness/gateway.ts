// The real program as a process: started on ports that are free, with a data folder of its own,
// stopped by its id, started again on the same address where a test wants to see that.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const root = resolve(import.meta.dirname, "../../..");

/** The program under test. */
export const program = findProgram();

/** A server of the tests, started by the gateway over stdio. */
export const shelfScript = join(root, "web/browser/servers/shelf.mjs");

export interface Settings {
  /** `mcpServers` of the configuration, beside the demo's own and the shelf. */
  servers?: Record<string, { command: string; args: string[]; env?: Record<string, string> }>;
  /** `resultant` of the configuration. */
  resultant?: Record<string, unknown>;
  /** What the owner's requests carry, where it is not the secret of the data folder. */
  credentials?: Record<string, string>;
  /** Starts `resultant demo` as a person would, with nothing configured. */
  isPlainDemo?: boolean;
}

export interface ApiCall {
  id: string;
  [member: string]: unknown;
}

export class Gateway {
  readonly folder: string;
  readonly shelf: string;
  log = "";
  sandboxPort: number;
  private child: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    sandboxPort: number,
    private readonly settings: Settings,
  ) {
    this.sandboxPort = sandboxPort;
    this.folder = mkdtempSync(join(tmpdir(), "resultant-browser-"));
    this.shelf = join(this.folder, "shelf");
    mkdirSync(this.shelf);
  }

  static async start(settings: Settings = {}): Promise<Gateway> {
    const [port, sandboxPort] = await freePorts(2);
    const gateway = new Gateway(port ?? 0, sandboxPort ?? 0, settings);
    await gateway.run();
    return gateway;
  }

  /** The page's origin. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get data(): string {
    return join(this.folder, "data");
  }

  /** Starts the program and comes back when it listens. */
  private async run(): Promise<void> {
    const listen = `127.0.0.1:${this.port}`;
    const words = this.settings.isPlainDemo
      ? ["demo", "--listen", listen, "--data", this.data]
      : ["serve", "--config", this.writeConfig(), "--listen", listen, "--data", this.data];
    const child = spawn(program, words, {
      cwd: this.folder,
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, RUST_LOG: "info" },
    });
    this.child = child;
    await new Promise<void>((resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`the gateway ended with ${code}:\n${this.log}`)));
      child.once("error", reject);
      child.stderr?.setEncoding("utf8").on("data", (text: string) => {
        this.log += text;
        if (/^listening on http:/m.test(this.log)) resolve();
      });
    });
    child.removeAllListeners("exit");
    // The demo takes a port that is free.
    const { sandbox_url } = await this.api<{ sandbox_url: string | null }>("/api/settings");
    if (sandbox_url !== null) this.sandboxPort = Number(new URL(sandbox_url).port);
  }

  private writeConfig(): string {
    const config = {
      mcpServers: {
        demo: { command: program, args: ["demo-server"] },
        shelf: { command: process.execPath, args: [shelfScript, this.shelf] },
        ...this.settings.servers,
      },
      resultant: {
        sandbox_listen: `127.0.0.1:${this.sandboxPort}`,
        dashboards: { origins: ["http://127.0.0.1:*"] },
        ...this.settings.resultant,
      },
    };
    const path = join(this.folder, "resultant.json");
    writeFileSync(path, JSON.stringify(config, null, 2));
    return path;
  }

  /** Ends the program as a service manager does, and waits for its end. */
  async stop(): Promise<void> {
    const child = this.child;
    this.child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    // Clients that hold streams are given a while to leave; after that nobody is asked.
    const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
    await ended;
    clearTimeout(timer);
  }

  /** Starts again with the same address and the same data. */
  async startAgain(): Promise<void> {
    await this.stop();
    this.log = "";
    await this.run();
  }

  async end(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** A link that opens the page once. */
  async link(): Promise<string> {
    const words = ["open", "--no-browser", "--listen", `127.0.0.1:${this.port}`, "--data", this.data];
    const { stdout } = await promisify(execFile)(program, words, { cwd: this.folder });
    return stdout.trim();
  }

  get secret(): string {
    return readFileSync(join(this.data, "secret"), "utf8").trim();
  }

  /** A request to the API with the owner's credential; the answer must be good. */
  async api<T>(path: string, init: RequestInit = {}): Promise<T> {
    const text = await this.text(path, init);
    return (text === "" ? undefined : JSON.parse(text)) as T;
  }

  /** The same to the letter, where digits matter. */
  async text(path: string, init: RequestInit = {}): Promise<string> {
    const headers = new Headers(init.headers);
    const credentials = this.settings.credentials ?? { Authorization: `Bearer ${this.secret}` };
    for (const [name, value] of Object.entries(credentials)) headers.set(name, value);
    const response = await fetch(`${this.url}${path}`, { ...init, headers });
    const text = await response.text();
    if (!response.ok) throw new Error(`${init.method ?? "GET"} ${path}: ${response.status} ${text}`);
    return text;
  }

  async newSession(): Promise<string> {
    const { id } = await this.api<{ id: string }>("/api/sessions", { method: "POST" });
    return id;
  }

  /** Calls a tool through the API, as another front end would. */
  async call(session: string, server: string, tool: string, given: Record<string, unknown> = {}): Promise<ApiCall> {
    return await this.api<ApiCall>(`/api/sessions/${session}/calls`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ server, tool, arguments: given }),
    });
  }

  /** Puts a file into a session. */
  async upload(session: string, name: string, content: Uint8Array | string): Promise<void> {
    const body = typeof content === "string" ? content : new Blob([new Uint8Array(content)]);
    await this.api(`/api/sessions/${session}/files/${encodeURIComponent(name)}`, { method: "PUT", body });
  }

  /** Lays a tool result on the shelf; the tool `give` of the server `shelf` answers with it. */
  lay(name: string, result: unknown): void {
    writeFileSync(join(this.shelf, `${name}.json`), JSON.stringify(result));
  }

  /** Lays a result in the contract's form. */
  layContract(name: string, contract: Record<string, unknown>): void {
    this.lay(name, { content: [{ type: "text", text: JSON.stringify(contract) }] });
  }
}

/** A file as the contract has it. */
export function artifact(name: string, content: Uint8Array | string, mime?: string): Record<string, unknown> {
  return { name, b64: Buffer.from(content).toString("base64"), ...(mime === undefined ? {} : { mime }) };
}

function findProgram(): string {
  const named = process.env.RESULTANT_TEST_BINARY;
  if (named !== undefined && named !== "") return resolve(root, named);
  const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
  const built = join(target, "debug/resultant");
  if (!existsSync(built)) throw new Error(`there is no ${built}; build it, or name one in RESULTANT_TEST_BINARY`);
  return built;
}

/** Ports that were free a moment ago, no two the same. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
