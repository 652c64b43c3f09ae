// What both TypeScript clients share: the command line, the fixed answers to what a server asks,
// and the loop over the steps.
//
// A client is started as `node CLIENT [--era ERA] (--url URL | -- COMMAND ARGS…)` with NODE_PATH
// naming the SDK's node_modules, and gets a JSON list of steps on standard input. It prints one
// JSON line for the connection and one for each step: `result` as the SDK gives it, or `error`;
// `progress`; `asked`, the server's own requests, which are answered from FIXED; `notified`, the
// notifications.
"use strict";

const FIXED = {
  "elicitation/create": { action: "accept", content: { name: "Ada" } },
  "sampling/createMessage": {
    role: "assistant",
    model: "fixed",
    stopReason: "endTurn",
    content: { type: "text", text: "a fixed answer" },
  },
  "roots/list": { roots: [{ uri: "file:///fixed/root", name: "fixed" }] },
};

const CAPABILITIES = { elicitation: { form: {} }, sampling: {}, roots: {} };

const CLIENT_INFO = { name: "resultant-test", version: "1" };

function parseArguments(words) {
  const target = { era: undefined, url: undefined, command: undefined, args: [] };
  for (let at = 0; at < words.length; at += 1) {
    if (words[at] === "--url") {
      at += 1;
      target.url = words[at];
    } else if (words[at] === "--era") {
      at += 1;
      target.era = words[at];
    } else if (words[at] === "--") {
      [target.command, ...target.args] = words.slice(at + 1);
      break;
    } else {
      throw new Error(`unknown argument ${words[at]}`);
    }
  }
  return target;
}

async function readInput() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

class Recorder {
  asked = [];
  notified = [];
  progress = [];

  answer(request) {
    this.asked.push({ method: request.method, params: request.params });
    return FIXED[request.method];
  }

  notice(notification) {
    this.notified.push({ method: notification.method, params: notification.params });
  }

  take() {
    const { asked, notified, progress } = this;
    this.asked = [];
    this.notified = [];
    this.progress = [];
    return { progress, asked, notified };
  }
}

function print(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

// `callTool(client, params, options)` is where the two SDKs differ.
async function perform(client, step, callTool, recorder) {
  const { op, ...params } = step;
  const options = { onprogress: (progress) => recorder.progress.push(progress) };
  switch (op) {
    case "list_tools":
      return client.listTools(params);
    case "call":
      return callTool(client, params, options);
    case "list_resources":
      return client.listResources(params);
    case "list_resource_templates":
      return client.listResourceTemplates(params);
    case "read_resource":
      return client.readResource(params);
    case "list_prompts":
      return client.listPrompts(params);
    case "get_prompt":
      return client.getPrompt(params);
    case "complete":
      return client.complete(params);
    case "subscribe":
      return client.subscribeResource(params);
    case "set_level":
      return client.setLoggingLevel(params.level);
    default:
      throw new Error(`unknown step ${op}`);
  }
}

async function run(client, transport, protocolVersion, callTool, recorder) {
  const steps = await readInput();
  await client.connect(transport);
  print({ protocolVersion: protocolVersion(), server: client.getServerVersion() });
  for (const step of steps) {
    const line = { op: step.op };
    try {
      line.result = await perform(client, step, callTool, recorder);
    } catch (error) {
      line.error = { code: error.code, message: error.message };
    }
    print({ ...line, ...recorder.take() });
  }
  await client.close();
}

function fail(error) {
  process.stderr.write(`${error.stack ?? error}\n`);
  process.exit(1);
}

module.exports = { CAPABILITIES, CLIENT_INFO, FIXED, Recorder, fail, parseArguments, run };
