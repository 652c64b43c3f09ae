// The host of an MCP App: frames it through the proxy shell on the sandbox origin, tells it about its call, and
// does for it what it may ask for: tools and resources of its own server, a link that the person agrees to, a
// download. The bridge of the MCP Apps package speaks the protocol; this decides what is answered.

import "./zod-setup";
import { AppBridge, PostMessageTransport, type McpUiHostContext, type McpUiHostStyles } from "@modelcontextprotocol/ext-apps/app-bridge";
import type { CallToolResult, ReadResourceResult, Tool as ToolDefinition } from "@modelcontextprotocol/client";
import { api, part, problemFrom, type Schemas } from "../api/client";
import { readEvents } from "../api/events";
import { toValue } from "../json/json";
import type { AppTab } from "../state/canvas";
import { workspace } from "../state/workspace";
import { APP_RESULT_BYTES_MAX, insteadOfResult, readCsp, refusalOfCall, type AppCsp } from "./app-policy";
import { makeFrame, shellAddress } from "./frame-element";
import { noteCallOfApp } from "./live";

const READY_MS_MAX = 15_000;
const HTML_MIME = /^text\/html\b/i;
const TEARDOWN_MS_MAX = 500;

export interface AppHost {
  setTheme(theme: "light" | "dark"): void;
  setDisplayMode(mode: "inline" | "fullscreen"): void;
  /** Lets the app put things away before its frame goes; it gets little time for it. */
  teardown(): Promise<void>;
  close(): void;
}

export interface AppHooks {
  onReady(): void;
  onError(error: unknown): void;
  onLink(address: string): Promise<boolean>;
  onDownload(name: string, blob: Blob): Promise<boolean>;
  onDisplayMode(mode: "inline" | "fullscreen"): void;
  onClose(): void;
}

export interface AppResource {
  html: string;
  csp: AppCsp;
  prefersBorder: boolean;
}

/** Reads the app's page from its server. */
export async function readApp(tab: AppTab, ours: readonly string[], signal: AbortSignal): Promise<AppResource> {
  const result = await readOf(tab, tab.resourceUri, signal);
  const content = result.contents.find((each) => each.uri === tab.resourceUri) ?? result.contents[0];
  if (!content) throw new Error("The server has nothing under the address that the tool names.");
  if (content.mimeType && !HTML_MIME.test(content.mimeType)) throw new Error(`The app is of the type ${content.mimeType}, which is no page.`);
  const html = "text" in content ? content.text : new TextDecoder().decode(bytesOf(content.blob));
  const ui: unknown = content._meta?.["ui"];
  const field = (name: string): unknown => (typeof ui === "object" && ui !== null ? Reflect.get(ui, name) : undefined);
  return { html, csp: readCsp(field("csp"), ours), prefersBorder: field("prefersBorder") === true };
}

/** A resource of the app's server, read in the app's session. */
async function readOf({ server, session }: AppTab, uri: string, signal: AbortSignal): Promise<ReadResourceResult> {
  return api.get<ReadResourceResult>(`/api/servers/${part(server)}/resource`, { query: { uri, session }, signal });
}

/** Opens the app in `parent`. It lives until it is closed. */
export function openApp(parent: HTMLElement, tab: AppTab, app: AppResource, sandboxUrl: string, theme: "light" | "dark", hooks: AppHooks): AppHost {
  const address = shellAddress(sandboxUrl, "app", { csp: JSON.stringify(app.csp), theme });
  const frame = makeFrame({ address, title: tab.title, sandbox: "allow-scripts allow-same-origin allow-forms", className: "canvas-live-frame" });
  parent.append(frame);
  const target = frame.contentWindow;
  if (!target) throw new Error("The frame could not be made.");
  let context = contextOf(tab, parent, theme);
  const bridge = new AppBridge(
    null,
    { name: "Resultant", version: workspace.get().settings.version ?? "0" },
    { openLinks: {}, downloadFile: {}, serverTools: {}, serverResources: {}, logging: {}, sandbox: { csp: app.csp } },
    { hostContext: context },
  );
  const timer = setTimeout(() => hooks.onError(new Error("The app did not start in time.")), READY_MS_MAX);
  const gone = new AbortController();

  bridge.onsandboxready = () => void bridge.sendSandboxResourceReady({ html: app.html, csp: app.csp });
  bridge.oninitialized = () => {
    clearTimeout(timer);
    hooks.onReady();
    tellCall(bridge, tab).catch(hooks.onError);
  };
  bridge.oncalltool = async ({ name, arguments: args }) => callTool(tab, name, args ?? {}, gone.signal);
  bridge.onreadresource = async ({ uri }) => {
    if (/^resultant:/i.test(uri.trim())) throw new Error("files of the gateway are not for apps");
    return readOf(tab, uri, gone.signal);
  };
  bridge.onopenlink = async ({ url }) => ((await hooks.onLink(url)) ? {} : { isError: true });
  bridge.ondownloadfile = async ({ contents }) => {
    for (const each of contents) {
      if (each.type !== "resource") return { isError: true };
      const { resource } = each;
      const data = "text" in resource ? resource.text : bytesOf(resource.blob);
      const name = resource.uri.split(/[/\\]/).at(-1) || "download";
      if (!(await hooks.onDownload(name, new Blob([data], { type: "application/octet-stream" })))) return { isError: true };
    }
    return {};
  };
  // There is no conversation here that a message could go to.
  bridge.onmessage = async () => ({ isError: true });
  bridge.onupdatemodelcontext = async () => ({});
  bridge.onrequestdisplaymode = async ({ mode }) => {
    const given = mode === "fullscreen" ? "fullscreen" : "inline";
    hooks.onDisplayMode(given);
    return { mode: given };
  };
  bridge.onsizechange = ({ height }) => {
    // The frame fills its place; an app that is taller scrolls inside.
    frame.dataset["height"] = String(height ?? "");
  };
  bridge.onrequestteardown = () => hooks.onClose();
  const change = (news: Partial<McpUiHostContext>): void => {
    context = { ...context, ...news };
    bridge.setHostContext(context);
  };
  const observer = new ResizeObserver(() => change({ containerDimensions: sizeOf(parent) }));
  bridge.connect(new PostMessageTransport(target, target)).then(() => observer.observe(parent), hooks.onError);

  return {
    setTheme: (next) => change({ theme: next, styles: stylesNow() }),
    setDisplayMode: (displayMode) => change({ displayMode }),
    teardown: async () => {
      const late = new Promise((resolve) => setTimeout(resolve, TEARDOWN_MS_MAX));
      await Promise.race([bridge.teardownResource({}).catch(() => undefined), late]);
    },
    close: () => {
      gone.abort();
      clearTimeout(timer);
      observer.disconnect();
      void bridge.close().catch(() => undefined);
      frame.remove();
    },
  };
}

/** The arguments and the whole result of the call that opened the app. */
async function tellCall(bridge: AppBridge, tab: AppTab): Promise<void> {
  const call = await api.get<{ arguments?: unknown }>(`/api/calls/${part(tab.call)}`);
  const args = typeof call.arguments === "object" && call.arguments !== null ? { ...call.arguments } : {};
  await bridge.sendToolInput({ arguments: args });
  await bridge.sendToolResult(await rawResult(tab.call));
}

/** What the server answered, as long as it is not too much to be taken apart and handed over in one piece. */
async function rawResult(call: string): Promise<CallToolResult> {
  const text = await textUpTo(await api.raw(`/api/calls/${part(call)}/raw`), APP_RESULT_BYTES_MAX);
  if (text === undefined) return insteadOfResult(await api.get<Schemas["Renderings"]>(`/api/calls/${part(call)}/renderings`));
  const answer: unknown = JSON.parse(text);
  const result = typeof answer === "object" && answer !== null && "result" in answer && "jsonrpc" in answer ? answer.result : answer;
  if (typeof result !== "object" || result === null) throw new Error("The server's answer is no result.");
  return { content: [], ...result } as CallToolResult;
}

/** The text of an answer; nothing where it is longer. No more of it than that is fetched. */
async function textUpTo(answer: Response, bytesMax: number): Promise<string | undefined> {
  const reader = answer.body?.getReader();
  if (!reader) return "";
  const decoder = new TextDecoder();
  const parts: string[] = [];
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return parts.join("") + decoder.decode();
    bytes += value.length;
    if (bytes > bytesMax) {
      await reader.cancel();
      return undefined;
    }
    parts.push(decoder.decode(value, { stream: true }));
  }
}

/** A call for the app, of a tool of its own server that is for apps. It gets what the server answered. */
async function callTool(tab: AppTab, name: string, args: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult> {
  const refusal = refusalOfCall(workspace.get().tools, tab.server, name);
  if (refusal) throw new Error(refusal);
  const response = await api.raw(`/api/sessions/${part(tab.session)}/calls`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
    body: JSON.stringify({ server: tab.server, tool: name, arguments: args, stream: true, as: "app" }),
    signal,
  });
  let id: string | undefined;
  let problem: unknown;
  await readEvents(response, (event) => {
    if (event.type === "call") {
      id = (JSON.parse(event.data) as { id: string }).id;
      noteCallOfApp(id);
    } else if (event.type === "problem") {
      problem = problemFrom(JSON.parse(event.data));
    }
  });
  if (problem) throw problem;
  if (id === undefined) throw new Error("The gateway did not make the call.");
  return rawResult(id);
}

function contextOf(tab: AppTab, parent: HTMLElement, theme: "light" | "dark"): McpUiHostContext {
  const tool = workspace.get().tools.find((each) => each.server === tab.server && each.name === tab.tool);
  return {
    theme,
    styles: stylesNow(),
    displayMode: "inline",
    availableDisplayModes: ["inline", "fullscreen"],
    containerDimensions: sizeOf(parent),
    locale: navigator.language,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    userAgent: "resultant",
    platform: "web",
    ...(tool ? { toolInfo: { id: tab.call, tool: toValue(tool.definition) as ToolDefinition } } : {}),
  };
}

function sizeOf(parent: HTMLElement): { width: number; height: number } {
  return { width: parent.clientWidth, height: parent.clientHeight };
}

/** The page's colours and fonts under the names that apps know. */
const VARIABLES = {
  "--color-background-primary": "--card",
  "--color-background-secondary": "--ground",
  "--color-background-tertiary": "--sunken",
  "--color-background-danger": "--bad-soft",
  "--color-background-success": "--good-soft",
  "--color-background-warning": "--wait-soft",
  "--color-background-info": "--accent-soft",
  "--color-text-primary": "--text",
  "--color-text-secondary": "--quiet",
  "--color-text-tertiary": "--quiet",
  "--color-text-danger": "--bad",
  "--color-text-success": "--good",
  "--color-text-warning": "--wait",
  "--color-text-info": "--accent",
  "--color-border-primary": "--line",
  "--color-border-secondary": "--line-strong",
  "--color-ring-primary": "--accent",
  "--font-sans": "--font",
  "--font-mono": "--mono",
  "--border-radius-sm": "--radius-small",
  "--border-radius-md": "--radius",
  "--border-radius-lg": "--radius-large",
} as const;

function stylesNow(): McpUiHostStyles {
  const page = getComputedStyle(document.documentElement);
  const variables: Record<string, string> = {};
  for (const [theirs, ours] of Object.entries(VARIABLES)) variables[theirs] = page.getPropertyValue(ours).trim();
  return { variables: variables as NonNullable<McpUiHostStyles["variables"]> };
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
}
