// A server of the browser tests. `give` answers with whatever a test laid on the shelf, to the
// letter; the others are for forms, for cancelling, and for the bounds of apps.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const folder = process.argv[2];
const APP = "ui://shelf/app.html";
const object = (properties, required = []) => ({ type: "object", properties, required });

const tools = [
  {
    name: "give",
    description: "Answers with what lies on the shelf under that name.",
    inputSchema: object({ name: { type: "string" } }, ["name"]),
  },
  {
    name: "wait",
    description: "Waits until it is cancelled, and writes down that it was.",
    inputSchema: object({ name: { type: "string", default: "cancelled" } }),
  },
  {
    name: "order",
    description: "Takes an order with every kind of field and says what it got.",
    inputSchema: object(
      {
        customer: {
          ...object({ name: { type: "string", minLength: 1 }, email: { type: "string", format: "email" } }, ["name"]),
          description: "Who orders",
        },
        items: {
          type: "array",
          items: object({ product: { type: "string" }, count: { type: "integer", minimum: 1, default: 1 } }, ["product"]),
        },
        size: { type: "string", enum: ["small", "large"], default: "small" },
        day: { type: "string", format: "date" },
        gift: { type: "boolean", default: false },
        payment: {
          oneOf: [
            { title: "Card", ...object({ card: { type: "string" } }, ["card"]) },
            { title: "Invoice", ...object({ address: { type: "string" } }, ["address"]) },
          ],
        },
        number: { type: "number" },
      },
      ["customer"],
    ),
  },
  {
    name: "read_file",
    description: "Says where a file of the session can be fetched, and how long it is.",
    inputSchema: object({ filename: { type: "string", description: "A file of the session" } }, ["filename"]),
  },
  {
    name: "open_app",
    description: "Opens an app that tries what it may not.",
    inputSchema: object({}),
    _meta: { ui: { resourceUri: APP } },
  },
  {
    name: "for_apps",
    description: "Only apps may call this.",
    inputSchema: object({}),
    _meta: { ui: { visibility: ["app"] } },
  },
  {
    name: "much_for_apps",
    description: "Answers an app with more than it is given.",
    inputSchema: object({}),
    _meta: { ui: { visibility: ["app"] } },
  },
  {
    name: "for_models",
    description: "Only models may call this.",
    inputSchema: object({}),
    _meta: { ui: { visibility: ["model"] } },
  },
];

const text = (said) => ({ content: [{ type: "text", text: said }] });

const server = new Server(
  { name: "shelf", version: "1.0.0" },
  { capabilities: { tools: {}, resources: {} } },
);

server.setRequestHandler("tools/list", () => ({ tools }));

server.setRequestHandler("resources/list", () => ({
  resources: [{ uri: APP, name: "app", mimeType: "text/html;profile=mcp-app" }],
}));

server.setRequestHandler("resources/read", ({ params }) => {
  const path = join(folder, "app.html");
  if (params.uri !== APP || !existsSync(path)) throw new Error(`there is no ${params.uri}`);
  const html = readFileSync(path, "utf8");
  return { contents: [{ uri: APP, mimeType: "text/html;profile=mcp-app", text: html }] };
});

server.setRequestHandler("tools/call", async ({ params }, context) => {
  const given = params.arguments ?? {};
  switch (params.name) {
    case "give":
      return JSON.parse(readFileSync(join(folder, `${given.name}.json`), "utf8"));
    case "wait": {
      const signal = context.mcpReq?.signal ?? context.signal;
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      writeFileSync(join(folder, `${given.name ?? "cancelled"}.txt`), "cancelled");
      return text("cancelled");
    }
    case "order":
      return { content: [{ type: "text", text: JSON.stringify({ results: given }) }] };
    case "read_file": {
      const response = await fetch(given.filename);
      const body = await response.text();
      return text(`${body.length} characters, the first line is ${body.split("\n", 1)[0]}`);
    }
    case "open_app":
      return text("The app is open.");
    case "for_apps":
      writeFileSync(join(folder, "for_apps.txt"), "called");
      return text("an app called");
    case "much_for_apps":
      return text("many words ".repeat(1_600_000));
    case "for_models":
      writeFileSync(join(folder, "for_models.txt"), "called");
      return text("a model called");
    default:
      throw new Error(`there is no tool ${params.name}`);
  }
});

await server.connect(new StdioServerTransport());
