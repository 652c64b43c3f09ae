import { describe, expect, it } from "vitest";
import { readTools } from "../state/tool";
import { insteadOfResult, linkOf, readCsp, refusalOfCall } from "./app-policy";

const ours = ["http://127.0.0.1:8737/", "http://localhost:8738"];

describe("what an app may reach", () => {
  it("is nothing where nothing is declared", () => {
    expect(readCsp(undefined, ours)).toEqual({});
    expect(readCsp({ connectDomains: "https://a.example" }, ours)).toEqual({});
  });

  it("is what it declares, once, as origins", () => {
    const declared = {
      connectDomains: ["https://api.example.com", "wss://live.example.com/", "https://api.example.com"],
      resourceDomains: ["https://*.cdn.example.com", "HTTPS://CDN.example.com:8443"],
      somethingElse: ["https://x.example"],
    };
    expect(readCsp(declared, ours)).toEqual({
      connectDomains: ["https://api.example.com", "wss://live.example.com"],
      resourceDomains: ["https://*.cdn.example.com", "https://cdn.example.com:8443"],
    });
  });

  it.each([
    "*",
    "https://*",
    "https:",
    "'unsafe-eval'",
    "https://a.example; script-src *",
    "https://a.example https://b.example",
    "https://a.example/path",
    "https://user@a.example",
    "javascript:alert(1)",
    "data:",
    "https://a.*.example",
    "http://127.0.0.1:8737",
    "http://localhost:8738",
    "http://a.example",
    "https://intranet",
    "https://localhost",
    "https://x.localhost",
    "https://printer.local",
    "https://127.0.0.1",
    "https://1.0x7f",
    "https://[::1]",
    "https://a..example",
    "https://a.example.",
    "https://a_b.example",
    "https://a\u{e9}.example",
    "https://a.exam\u212ale",
    "https://a.example:0",
    "https://a.example:99999",
    "https://a.example:*",
    "https://*.*.example",
    `https://${"a".repeat(64)}.example`,
    `https://${"abc.".repeat(64)}example`,
    5,
    null,
  ])("is not %s", (domain) => {
    expect(readCsp({ connectDomains: [domain], resourceDomains: [domain], frameDomains: [domain] }, ours)).toEqual({});
  });

  it("is never one of ours", () => {
    expect(readCsp({ frameDomains: ["https://results.example", "https://b.example"] }, ["https://results.example/"])).toEqual({
      frameDomains: ["https://b.example"],
    });
  });

  it("is no socket where files are meant", () => {
    expect(readCsp({ resourceDomains: ["wss://a.example"] }, ours)).toEqual({});
  });
});

describe("what an app may call", () => {
  const tool = (server: string, name: string, meta?: unknown): unknown => ({
    server,
    server_name: name,
    name: `${server}_${name}`,
    definition: { name, inputSchema: { type: "object" }, ...(meta ? { _meta: meta } : {}) },
  });
  const tools = readTools(
    JSON.stringify({
      items: [
        tool("own", "plain"),
        tool("own", "both", { ui: { visibility: ["model", "app"] } }),
        tool("own", "app-only", { ui: { visibility: ["app"] } }),
        tool("own", "model-only", { ui: { visibility: ["model"] } }),
        tool("own", "nobody", { ui: { visibility: [] } }),
        tool("other", "theirs"),
      ],
    }),
  );
  it.each([
    ["plain", true],
    ["both", true],
    ["app-only", true],
    ["model-only", false],
    ["nobody", false],
    ["theirs", false],
    ["own_plain", false],
  ])("%s: %s", (name, isAllowed) => expect(refusalOfCall(tools, "own", name) === undefined).toBe(isAllowed));
});

it("links are for the web and for mail", () => {
  expect(linkOf("https://example.com/")?.href).toBe("https://example.com/");
  for (const address of ["javascript:alert(1)", "file:///x", "data:text/html,x", "nonsense", 5]) expect(linkOf(address)).toBeUndefined();
});

describe("a result that is too large", () => {
  it("is what a model sees of it, and a sentence that says so", () => {
    const lane = (name: string) => ({ lane: name, text: `the ${name} of it`, tokens: 3, bytes: 12 });
    const seen = { lanes: [lane("structured"), lane("content")], tokens: 3, bytes: 12, tokens_before: 9, tokens_saved: 6 };
    const texts = insteadOfResult({ seen }).content.map((block) => (block.type === "text" ? block.text : ""));
    expect(texts).toEqual([expect.stringMatching(/larger than the 16 MiB/), "the content of it"]);
  });
});
