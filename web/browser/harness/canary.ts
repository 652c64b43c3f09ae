// An origin that nothing may reach: what hostile content points at. It counts every connection,
// also one that says nothing, because a preconnect is a leak as well, and every datagram, because
// WebRTC asks around by UDP.
import { createSocket } from "node:dgram";
import { createServer, type Socket } from "node:net";

export class Canary {
  private readonly sockets = new Set<Socket>();
  /** The first line of what each connection said; empty for one that said nothing. */
  readonly heard: string[] = [];

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    private readonly datagrams: ReturnType<typeof createSocket>,
    readonly port: number,
  ) {}

  static async start(): Promise<Canary> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const datagrams = createSocket("udp4");
    await new Promise<void>((resolve) => datagrams.bind(port, "127.0.0.1", resolve));
    const canary = new Canary(server, datagrams, port);
    datagrams.on("message", () => canary.heard.push("datagram"));
    server.on("connection", (socket) => canary.hear(socket));
    return canary;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  private hear(socket: Socket): void {
    const at = this.heard.push("") - 1;
    this.sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => this.sockets.delete(socket));
    socket.once("data", (data) => {
      this.heard[at] = data.toString("latin1").split("\r\n", 1)[0] ?? "";
      // A good answer, so that whatever asked goes on and does its worst.
      const body = "<!doctype html><title>canary</title>";
      const head = `Content-Type: text/html\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: ${body.length}`;
      socket.end(`HTTP/1.1 200 OK\r\n${head}\r\nConnection: close\r\n\r\n${body}`);
    });
  }

  async end(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.datagrams.close();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
