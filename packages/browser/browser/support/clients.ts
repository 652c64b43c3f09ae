// MCP clients on the other side: the official SDKs, one that speaks 2025-06-18 and one that speaks
// 2026-07-28.
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

export interface Result {
  readonly content: Record<string, unknown>[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Record<string, unknown>;
}

export interface Tool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: Record<string, unknown>;
  readonly outputSchema?: Record<string, unknown>;
}

export interface CallOptions {
  readonly meta?: Record<string, unknown>;
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: {
    progress: number;
    total?: number | undefined;
    message?: string | undefined;
  }) => void;
}

export interface McpClient {
  readonly version: string | undefined;
  tools(): Promise<Tool[]>;
  call(name: string, args?: object, options?: CallOptions): Promise<Result>;
  /** Waits until there is a tool of this name, by the notifications where the client has them. */
  until(matches: (names: string[]) => boolean): Promise<void>;
  close(): Promise<void>;
}

export const VERSIONS = ["2025-06-18", "2026-07-28"] as const;
export type Version = (typeof VERSIONS)[number];

const INFO = { name: "page-tools-tests", version: "1.0.0" };
/** What a call may take here; the gateway's own deadlines are shorter. */
const PATIENCE_MS = 55_000;

export function connectClient(version: Version, gateway: string, key: string): Promise<McpClient> {
  const address = new URL("/mcp", gateway);
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  return version === "2025-06-18" ? connectOld(address, requestInit) : connectModern(address, requestInit);
}

async function connectOld(address: URL, requestInit: RequestInit): Promise<McpClient> {
  const client = new OldClient(INFO);
  const changes = new Changes();
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => changes.happen());
  const transport = new OldTransport(address, { requestInit });
  // This SDK offers its newest version and cannot be asked for another: the offer is changed on its way.
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if ("method" in message && message.method === "initialize") {
      message.params = { ...message.params, protocolVersion: "2025-06-18" };
    }
    return send(message as never, options);
  };
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  const tools = async () => (await client.listTools()).tools as Tool[];
  return {
    version: transport.protocolVersion,
    tools,
    call: async (name, args = {}, { meta, ...options } = {}) =>
      (await client.callTool({ name, arguments: { ...args }, ...(meta ? { _meta: meta } : {}) }, undefined, {
        timeout: PATIENCE_MS,
        ...options,
      })) as unknown as Result,
    until: (matches) => changes.until(async () => matches((await tools()).map((tool) => tool.name))),
    close: () => client.close(),
  };
}

async function connectModern(address: URL, requestInit: RequestInit): Promise<McpClient> {
  const changes = new Changes();
  const client = new ModernClient(INFO, {
    versionNegotiation: { mode: { pin: "2026-07-28" } },
    listChanged: { tools: { onChanged: () => changes.happen() } },
  });
  await client.connect(new ModernTransport(address, { requestInit }));
  const tools = async () => (await client.listTools(undefined, { cacheMode: "refresh" })).tools as Tool[];
  return {
    version: client.getNegotiatedProtocolVersion(),
    tools,
    call: async (name, args = {}, { meta, ...options } = {}) =>
      (await client.callTool(
        { name, arguments: { ...args }, ...(meta ? { _meta: meta } : {}) },
        {
          timeout: PATIENCE_MS,
          ...options,
        },
      )) as unknown as Result,
    until: (matches) => changes.until(async () => matches((await tools()).map((tool) => tool.name))),
    close: () => client.close(),
  };
}

/** Looks again whenever the gateway says that its tools changed. */
class Changes {
  #count = 0;
  #wake: () => void = () => undefined;

  happen(): void {
    this.#count += 1;
    this.#wake();
  }

  async until(holds: () => Promise<boolean>): Promise<void> {
    for (;;) {
      const seen = this.#count;
      if (await holds()) return;
      if (this.#count === seen) await new Promise<void>((wake) => (this.#wake = wake));
    }
  }
}
