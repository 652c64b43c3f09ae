// The instruments themselves: a test that finds nothing proves something only if it could have
// found it.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Canary } from "./harness/canary";
import { connectAgent } from "./harness/client";
import { newContext, useGateway } from "./harness/visit";
import { hiddenFrames, hostileHtml, scriptedHtml, stayingHtml } from "./hostile/html";
import { hostileSvg } from "./hostile/svg";

describe("the canary", () => {
  let canary: Canary;
  beforeAll(async () => {
    canary = await Canary.start();
  });
  afterAll(() => canary.end());

  test("hears what hostile pages do where nothing holds them", async () => {
    const files = [...hostileHtml(canary.url), ...hostileSvg(canary.url), scriptedHtml(canary.url), stayingHtml(canary.url)];
    const server = createServer((request, response) => {
      const name = request.url?.slice(1) ?? "";
      response.setHeader("Content-Type", name.endsWith(".svg") ? "image/svg+xml" : "text/html");
      response.end(files.find((file) => file.name === name)?.content);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const context = await newContext();
    const heard = () => canary.heard.join("\n");
    for (const [name, path] of [
      ["closers.html", "html-closers"],
      ["refresh.html", "html-refresh"],
      ["css.html", "html-css"],
      ["handlers.html", "html-onload"],
      ["script.html", "html-fetch"],
      ["script.svg", "svg-script"],
      ["scripted.html", "run-fetch"],
      ["staying.html", "stay-fetch"],
    ] as const) {
      // Some leave their page at once, so each has one of its own.
      const page = await context.newPage();
      await page.goto(`http://127.0.0.1:${port}/${name}`, { waitUntil: "commit" });
      await expect.poll(heard, { timeout: 10_000 }).toContain(`/${path}`);
    }
    await expect.poll(heard).toContain("datagram");
    await context.close();
    server.closeAllConnections();
    server.close();
  });

  test("hears the frames that a sandboxed page hides where nothing finds them", async () => {
    const context = await newContext();
    const refused: string[] = [];
    for (const line of hiddenFrames((path) => `${canary.url}/${path}`)) {
      canary.heard.length = 0;
      const page = await context.newPage();
      await page.evaluate((html) => {
        addEventListener("message", (event) => (document.title = String(event.data)));
        const frame = document.createElement("iframe");
        frame.setAttribute("sandbox", "allow-scripts");
        frame.srcdoc = html;
        document.body.append(frame);
      }, `<body><script>try { ${line} } catch { parent.postMessage("refused", "*") }</script>`);
      const outcome = async () => [...canary.heard, await page.title()];
      await expect.poll(outcome, { message: line }).toEqual(expect.arrayContaining([expect.stringMatching(/^(datagram|refused)$/)]));
      if ((await page.title()) === "refused") refused.push(line);
      await page.close();
    }
    await context.close();
    // Newer browsers leave no roots in what they clean.
    expect(refused.filter((line) => !/\b(setHTML|parseHTML)\(/.test(line))).toEqual([]);
  });
});

describe("the gateway", () => {
  const gateway = useGateway();

  test("answers an official client, and has the tests' own server behind it", async () => {
    gateway().layContract("greeting", { results: "hello from the shelf" });
    const agent = await connectAgent(gateway());
    const { tools } = await agent.client.listTools();
    expect(tools.map((tool) => tool.name)).toContain("shelf_give");
    const result = await agent.client.callTool({ name: "shelf_give", arguments: { name: "greeting" } });
    expect(JSON.stringify(result)).toContain("hello from the shelf");
    await agent.end();
  });
});
