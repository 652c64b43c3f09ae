// A server made with the TypeScript SDK 2.x, of both eras, over stdio. Started with NODE_PATH
// naming the SDK's node_modules.
"use strict";

const { McpServer, acceptedContent, inputRequired } = require("@modelcontextprotocol/server");
const { serveStdio } = require("@modelcontextprotocol/server/stdio");
const { z } = require("zod");

serveStdio(() => {
  const server = new McpServer({ name: "typescript-2", version: "1" }, { capabilities: { tools: {} } });
  const numbers = z.object({ a: z.number(), b: z.number() });
  server.registerTool(
    "add",
    { inputSchema: numbers, outputSchema: z.object({ result: z.number() }) },
    async ({ a, b }) => {
      const output = { result: a + b };
      return { content: [{ type: "text", text: JSON.stringify(output) }], structuredContent: output };
    },
  );
  server.registerTool("greet", { inputSchema: z.object({ name: z.string() }) }, async ({ name }) => ({
    content: [{ type: "text", text: `Grüße, ${name}` }],
    _meta: { "example.com/kept": [1, 2.5, null] },
  }));
  server.registerTool("fail", { inputSchema: z.object({}) }, async () => {
    throw new Error("it failed, as asked");
  });
  // Cannot go on before somebody has confirmed.
  const answer = z.object({ confirm: z.boolean() });
  server.registerTool("deploy", { inputSchema: z.object({ where: z.string() }) }, async ({ where }, context) => {
    const confirmed = acceptedContent(context.mcpReq.inputResponses, "confirm", answer);
    if (confirmed?.confirm !== true) {
      const request = inputRequired.elicit({ message: `Deploy to ${where}?`, requestedSchema: answer });
      return inputRequired({ inputRequests: { confirm: request } });
    }
    return { content: [{ type: "text", text: `deployed to ${where}` }] };
  });
  return server;
});
