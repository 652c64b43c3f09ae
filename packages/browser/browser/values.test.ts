// What a handler may return, and what of it goes over the wire.
import type { BrowserContext, Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import type { Answer, Peer } from "./support/peer.js";
import type { Site } from "./support/site.js";
import { openTab } from "./support/tab.js";
import { withPeer } from "./support/with-peer.js";

let site: Site;
let peer: Peer;
let context: BrowserContext;
withPeer((parts) => ({ site, peer, context } = parts));

const open = () => openTab(context, site.url, { url: peer.url });

describe("values", () => {
  let page: Page;
  beforeEach(async () => {
    page = await open();
  });
  /** Registers `handler`, which runs in the page, and calls it. */
  async function value(handler: () => unknown, outputSchema?: object): Promise<NonNullable<Answer["result"]>> {
    await page.evaluate(
      ({ source, outputSchema }) => {
        const handler = (0, eval)(`(${source})`) as () => unknown;
        window.lab.connection.registerTool("value", "A value", undefined, handler, { outputSchema });
      },
      { source: handler.toString(), outputSchema },
    );
    await peer.registered("value");
    const { result, failed } = await peer.call("value").answer;
    if (!result) throw new Error(failed);
    return result;
  }

  test("a result stays as it is", async () => {
    const result = {
      content: [{ type: "text", text: "1.10" }],
      structuredContent: { n: 1 },
      isError: true,
      _meta: { a: 1 },
    };
    const got = await value(() => ({
      content: [{ type: "text", text: "1.10" }],
      structuredContent: { n: 1 },
      isError: true,
      _meta: { a: 1 },
    }));
    expect(got).toEqual(result);
  });
  test("JSON is text, nothing is nothing", async () => {
    expect(await value(() => [{ a: 1 }, null])).toEqual({ content: [{ type: "text", text: '[{"a":1},null]' }] });
    await page.evaluate(() => window.lab.connection.unregisterTool("value"));
    await peer.heard((frame) => frame.type === "unregister");
    peer.told.length = 0;
    expect(await value(() => undefined)).toEqual({ content: [] });
  });
  test("a bigint keeps its digits", async () => {
    const { content } = await value(() => ({ id: 12345678901234567890n }));
    expect(content).toEqual([{ type: "text", text: '{"id":12345678901234567890}' }]);
  });
  test("what is thrown is an error with its message", async () => {
    const got = await value(() => {
      throw new Error("no such row");
    });
    expect(got).toEqual({ content: [{ type: "text", text: "no such row" }], isError: true });
  });
  test("bytes, blobs and files are files", async () => {
    const { content } = await value(() => [
      new Uint8Array([1, 2, 3]),
      new Blob(["<svg/>"], { type: "image/svg+xml" }),
      new File(["a,b\n1,2\n"], "my table.csv", { type: "text/csv;charset=utf-8" }),
      "and a word",
    ]);
    expect(content).toEqual([
      {
        type: "resource",
        resource: { uri: "page:///value-1.bin", mimeType: "application/octet-stream", blob: "AQID" },
      },
      { type: "image", mimeType: "image/svg+xml", data: Buffer.from("<svg/>").toString("base64") },
      {
        type: "resource",
        resource: {
          uri: "page:///my%20table.csv",
          mimeType: "text/csv",
          blob: Buffer.from("a,b\n1,2\n").toString("base64"),
        },
      },
      { type: "text", text: "and a word" },
    ]);
  });
  test("a plain string says that it is one where its schema does", async () => {
    expect(await value(() => "hello", { type: "string" })).toEqual({
      content: [{ type: "text", text: "hello" }],
      structuredContent: "hello",
    });
  });
});
