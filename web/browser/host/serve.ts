// Bundles the host's page and serves it, on an origin of its own.
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { build } from "vite";

const DOCUMENT = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Host</title><style>
:root { color-scheme: light; } body { margin: 2rem auto; max-width: 46rem; font: 15px system-ui; background: light-dark(#fff, #1c1c1e); color: light-dark(#222, #eee); }
iframe { width: 100%; height: 4rem; border: 1px solid light-dark(#ddd, #444); border-radius: 12px; } iframe.full { position: fixed; inset: 0; height: 100vh !important; }
</style></head><body><h1 style="font-size:15px">Here is the file.</h1><div id="chat"></div><script src="/host.js"></script></body></html>`;

export class HostPage {
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<HostPage> {
    const script = await bundled();
    const server = createServer((request, response) => {
      const isScript = request.url === "/host.js";
      response.setHeader("Content-Type", isScript ? "text/javascript" : "text/html");
      response.end(isScript ? script : DOCUMENT);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    return new HostPage(server, `http://127.0.0.1:${port}/`);
  }

  async end(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

async function bundled(): Promise<string> {
  const made = await build({
    configFile: false,
    logLevel: "silent",
    build: {
      write: false,
      minify: false,
      lib: { entry: join(import.meta.dirname, "page.ts"), formats: ["iife"], name: "host" },
    },
  });
  const [first] = Array.isArray(made) ? made : [made];
  if (first === undefined || !("output" in first)) throw new Error("the host's page was not built");
  return first.output[0].code;
}
