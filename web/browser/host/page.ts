// A host of MCP Apps, as small as one can be: the official bridge over the official client, and a frame without
// an origin under the policy that the specification has for documents that declare no domains.
import { AppBridge, PostMessageTransport, type McpUiHostCapabilities, type McpUiHostContext } from "@modelcontextprotocol/ext-apps/app-bridge";
import { Client, StreamableHTTPClientTransport, type CallToolResult } from "@modelcontextprotocol/client";

export interface Wanted {
  gateway: string;
  /** What a page needs to call the gateway. */
  secret: string;
  tool: string;
  arguments: Record<string, unknown>;
  theme: "light" | "dark";
  /** What the app may ask of the host; everything where it is absent. */
  capabilities?: McpUiHostCapabilities;
  /** The protocol, by which the client speaks to the gateway. */
  mode?: "legacy" | "auto";
}

export interface Seen {
  links: string[];
  heights: number[];
  reads: string[];
  result: CallToolResult | undefined;
  setTheme(theme: "light" | "dark"): void;
}

const UI = "io.modelcontextprotocol/ui";
const MIME = "text/html;profile=mcp-app";
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'; frame-src 'none'; object-src 'none'";

declare global {
  interface Window {
    openApp(wanted: Wanted): Promise<void>;
    seen: Seen;
  }
}

window.openApp = async (wanted) => {
  document.documentElement.style.colorScheme = wanted.theme;
  const client = new Client(
    { name: "host-test", version: "1.0.0" },
    { capabilities: { extensions: { [UI]: { mimeTypes: [MIME] } } }, versionNegotiation: { mode: wanted.mode ?? "auto" } },
  );
  const requestInit = { headers: { Authorization: `Bearer ${wanted.secret}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${wanted.gateway}/mcp`), { requestInit }));
  const { tools } = await client.listTools();
  const tool = tools.find((each) => each.name === wanted.tool);
  if (tool === undefined) throw new Error(`no tool ${wanted.tool}`);
  const view = (tool._meta?.["ui"] as { resourceUri?: string } | undefined)?.resourceUri;
  if (view === undefined) throw new Error(`${wanted.tool} has no view`);
  const { contents } = await client.readResource({ uri: view });
  const [content] = contents;
  if (content === undefined || !("text" in content) || content.mimeType !== MIME) throw new Error("no document");

  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.title = "App";
  document.getElementById("chat")?.replaceChildren(frame);
  const context: McpUiHostContext = { theme: wanted.theme, displayMode: "inline", availableDisplayModes: ["inline", "fullscreen"] };
  const capabilities = wanted.capabilities ?? { openLinks: {}, serverTools: {}, serverResources: {} };
  const bridge = new AppBridge(client, { name: "host-test", version: "1.0.0" }, capabilities, { hostContext: context });
  const seen: Seen = { links: [], heights: [], reads: [], result: undefined, setTheme: (theme) => bridge.setHostContext({ ...context, theme }) };
  window.seen = seen;
  bridge.onopenlink = async ({ url }) => {
    seen.links.push(url);
    return {};
  };
  bridge.onsizechange = ({ height }) => {
    if (height === undefined) return;
    seen.heights.push(height);
    frame.style.height = `${height}px`;
  };
  bridge.onrequestdisplaymode = async ({ mode }) => {
    frame.classList.toggle("full", mode === "fullscreen");
    bridge.setHostContext({ ...context, displayMode: mode });
    return { mode };
  };
  window.addEventListener("message", ({ data }: MessageEvent<{ method?: string; params?: { uri?: string } }>) => {
    if (data.method === "resources/read") seen.reads.push(data.params?.uri ?? "");
  });
  const greeted = new Promise<void>((resolve) => (bridge.oninitialized = () => resolve()));
  if (frame.contentWindow === null) throw new Error("the frame has no window");
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = content.text.replace("<head>", `<head><meta http-equiv="Content-Security-Policy" content="${POLICY}">`);
  await greeted;
  await bridge.sendToolInput({ arguments: wanted.arguments });
  const result = (await client.callTool({ name: wanted.tool, arguments: wanted.arguments })) as CallToolResult;
  seen.result = result;
  await bridge.sendToolResult(result);
};
