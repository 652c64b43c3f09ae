// The origin that a page comes from: serves the fixture, with the content security policy that a test
// asks for in the address.
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

const MIME: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

export class Site {
  #server: Server | undefined;
  url = "";

  constructor(readonly folder: string) {}

  async start(): Promise<this> {
    const server = createServer(async (request, response) => {
      const address = new URL(request.url ?? "/", "http://site");
      const path = normalize(address.pathname === "/" ? "/index.html" : address.pathname);
      const body = await readFile(join(this.folder, path)).catch(() => undefined);
      if (!body) return void response.writeHead(404).end();
      const policy = address.searchParams.get("csp");
      const headers = policy ? { "Content-Security-Policy": policy } : {};
      response
        .writeHead(200, { "Content-Type": MIME[extname(path)] ?? "application/octet-stream", ...headers })
        .end(body);
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.#server = server;
    return this;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((done) => this.#server?.close(done));
  }
}
