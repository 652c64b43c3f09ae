// A reverse proxy that signs people in: it takes away what a browser says of the user and says it itself.
import { createServer, request as ask, type Server } from "node:http";

export class Proxy {
  /** Who is signed in; nobody without. */
  person: string | undefined;

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Listens now, so that its address is known; `target` is asked for with each request. */
  static async start(target: () => number, secret: string): Promise<Proxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const proxy = new Proxy(server, typeof address === "object" && address !== null ? address.port : 0);
    server.on("request", (request, response) => {
      const headers = { ...request.headers };
      for (const name of ["x-user", "x-proxy-secret"]) delete headers[name];
      if (proxy.person !== undefined) Object.assign(headers, { "x-user": proxy.person, "x-proxy-secret": secret });
      const options = { host: "127.0.0.1", port: target(), method: request.method, path: request.url, headers };
      const onward = ask(options, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      onward.on("error", () => response.destroy());
      response.on("close", () => onward.destroy());
      request.pipe(onward);
    });
    return proxy;
  }

  async end(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
