// The proxy shell of MCP Apps: it frames the app's HTML with an origin that is nobody's and carries messages
// between the app and the page. It understands one message, the HTML; all others it hands on as they are. Its
// header, made from what the app's resource declares, holds for the frame inside too, and what no header can
// forbid is taken away before the app's first script.

import "./stage.css";
import { quietApp } from "./quiet";
import { element } from "./shell";

const READY = "ui/notifications/sandbox-proxy-ready";
const RESOURCE = "ui/notifications/sandbox-resource-ready";

let app: HTMLIFrameElement | undefined;

addEventListener("message", (event) => {
  if (event.source === parent) {
    const message: unknown = event.data;
    if (isResource(message)) show(message.params);
    else app?.contentWindow?.postMessage(message, "*");
    followTheme(message);
  } else if (app && event.source === app.contentWindow && !isOurs(event.data)) {
    parent.postMessage(event.data, "*");
  }
});

/** The shell is as light or dark as the page; an app without a background of its own stands on that. */
function followTheme(message: unknown): void {
  if (methodOf(message) !== "ui/notifications/host-context-changed") return;
  const params = typeof message === "object" && message !== null && "params" in message ? message.params : undefined;
  const theme = typeof params === "object" && params !== null && "theme" in params ? params.theme : undefined;
  if (theme === "light" || theme === "dark") document.documentElement.dataset["theme"] = theme;
}

function show(params: { html: string }): void {
  if (app) return;
  app = element("iframe", {
    class: "app",
    sandbox: "allow-scripts allow-forms",
    title: "App",
    referrerpolicy: "no-referrer",
    allow: "",
  });
  app.srcdoc = quietApp(params.html, hasFrames());
  document.body.replaceChildren(app);
}

/** Whether the app's resource declares origins for frames; the header of this shell is made from the same words. */
function hasFrames(): boolean {
  try {
    const csp: unknown = JSON.parse(new URLSearchParams(location.search).get("csp") ?? "{}");
    const frames: unknown = typeof csp === "object" && csp !== null ? Reflect.get(csp, "frameDomains") : undefined;
    return Array.isArray(frames) && frames.length > 0;
  } catch {
    return false;
  }
}

function methodOf(message: unknown): unknown {
  return typeof message === "object" && message !== null && "method" in message ? message.method : undefined;
}

function isResource(message: unknown): message is { params: { html: string } } {
  if (methodOf(message) !== RESOURCE) return false;
  const params = typeof message === "object" && message !== null && "params" in message ? message.params : undefined;
  return typeof params === "object" && params !== null && "html" in params && typeof params.html === "string";
}

/** Messages between the page and this shell; the app may not send them in its name. */
function isOurs(message: unknown): boolean {
  const method = methodOf(message);
  return typeof method === "string" && method.startsWith("ui/notifications/sandbox-");
}

const theme = new URLSearchParams(location.search).get("theme");
if (theme === "light" || theme === "dark") document.documentElement.dataset["theme"] = theme;
if (parent !== window) parent.postMessage({ jsonrpc: "2.0", method: READY, params: {} }, "*");
