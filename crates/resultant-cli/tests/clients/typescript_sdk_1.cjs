// A client made with the TypeScript SDK 1.x, which knows the legacy era only. See steps.cjs.
"use strict";

const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");
const {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} = require("@modelcontextprotocol/sdk/types.js");
const { CAPABILITIES, CLIENT_INFO, Recorder, fail, parseArguments, run } = require("./steps.cjs");

const target = parseArguments(process.argv.slice(2));
const transport = target.url
  ? new StreamableHTTPClientTransport(new URL(target.url))
  : new StdioClientTransport({ command: target.command, args: target.args, env: process.env });

// Over stdio the SDK does not say what was negotiated, but it tells the transport.
let negotiated;
const told = transport.setProtocolVersion?.bind(transport);
transport.setProtocolVersion = (version) => {
  negotiated = version;
  told?.(version);
};

const recorder = new Recorder();
const client = new Client(CLIENT_INFO, { capabilities: CAPABILITIES });
for (const schema of [ElicitRequestSchema, CreateMessageRequestSchema, ListRootsRequestSchema]) {
  client.setRequestHandler(schema, (request) => recorder.answer(request));
}
client.fallbackNotificationHandler = async (notification) => recorder.notice(notification);

const callTool = (client, params, options) => client.callTool(params, CallToolResultSchema, options);
run(client, transport, () => negotiated, callTool, recorder).catch(fail);
