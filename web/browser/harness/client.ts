// An MCP client beside the page, made with the official SDK: what an agent would be.
import { Client, StreamableHTTPClientTransport, type ClientCapabilities } from "@modelcontextprotocol/client";
import type { Gateway } from "./gateway";

export interface Agent {
  client: Client;
  end(): Promise<void>;
}

/**
 * Connects to a gateway. With a session, each request stands alone and names it, as 2026-07-28 has it;
 * without, the client opens a session of its own, as clients did before.
 */
export async function connectAgent(gateway: Gateway, session?: string, capabilities: ClientCapabilities = {}): Promise<Agent> {
  const mode = session === undefined ? "legacy" : "auto";
  const client = new Client({ name: "browser-test", version: "1.0.0" }, { capabilities, versionNegotiation: { mode } });
  const headers: Record<string, string> = { Authorization: `Bearer ${gateway.secret}` };
  if (session !== undefined) headers["Resultant-Session"] = session;
  const transport = new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`), { requestInit: { headers } });
  await client.connect(transport);
  return { client, end: () => client.close() };
}
