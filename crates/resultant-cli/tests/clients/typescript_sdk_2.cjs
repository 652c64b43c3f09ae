// A client made with the TypeScript SDK 2.x: `--era legacy`, `--era auto` (the default here) or a
// modern version to insist on. See steps.cjs.
"use strict";

const { Client, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");
const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");
const { CAPABILITIES, CLIENT_INFO, FIXED, Recorder, fail, parseArguments, run } = require("./steps.cjs");

const target = parseArguments(process.argv.slice(2));
const transport = target.url
  ? new StreamableHTTPClientTransport(new URL(target.url))
  : new StdioClientTransport({ command: target.command, args: target.args, env: process.env });

const era = target.era ?? "auto";
const mode = era === "auto" || era === "legacy" ? era : { pin: era };

const recorder = new Recorder();
const client = new Client(CLIENT_INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode } });
for (const method of Object.keys(FIXED)) {
  client.setRequestHandler(method, (request) => recorder.answer(request));
}
client.fallbackNotificationHandler = async (notification) => recorder.notice(notification);

const callTool = (client, params, options) => client.callTool(params, options);
const negotiated = () => client.getNegotiatedProtocolVersion();
run(client, transport, negotiated, callTool, recorder).catch(fail);
