// Structured output through the real gateway: every example, for a client of each version.
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { launch } from "./support/chromium.js";
import { connectClient, type McpClient, VERSIONS } from "./support/clients.js";
import { Program, program } from "./support/program.js";
import { Site } from "./support/site.js";

const JOHN = { name: "John", email: "john@example.com" };
const LAPTOP = { id: "123", name: "Laptop Pro", price: 1299.99, inStock: true };
const USERS = [
  { id: "1", name: "Ada", email: "ada@example.com" },
  { id: "2", name: "Grace", email: "grace@example.com" },
];
const ANALYTICS = {
  period: "week",
  summary: { totalVisits: 1000, uniqueVisitors: 400 },
  topPages: [
    { path: "/", views: 700 },
    { path: "/about", views: 300 },
  ],
};

describe.skipIf(!program)("structured output", () => {
  let browser: Browser;
  let context: BrowserContext;
  let site: Site;
  let gateway: Program;

  beforeAll(async () => {
    site = await new Site(inject("fixture")).start();
    gateway = await new Program([site.url]).start();
    browser = await launch();
    context = await browser.newContext();
    const page = await context.newPage();
    const given = new URLSearchParams({ url: gateway.url, token: await gateway.pageToken("anna") });
    await page.goto(`${site.url}/examples.html#${given}`);
  });
  afterAll(async () => {
    await browser.close();
    await gateway.end();
    await site.stop();
  });

  describe.each(VERSIONS)("for a client of %s", (version) => {
    let client: McpClient;
    const isModern = version === "2026-07-28";
    /** Before 2026-07-28 structured content is an object. */
    const inside = (value: unknown) => (isModern ? value : { result: value });

    beforeAll(async () => {
      client = await connectClient(version, gateway.url, gateway.key("anna"));
      await client.until((names) => names.includes("page_own_error"));
    });
    afterAll(() => client.close());

    test("is spoken in its version", () => {
      expect(client.version).toBe(version);
    });

    test.each(["user_as_text", "data_before"])("%s has no schema: text alone", async (name) => {
      const tool = (await client.tools()).find((tool) => tool.name === `page_${name}`);
      expect(tool?.outputSchema).toBeUndefined();
      const result = await client.call(`page_${name}`);
      const data = name === "data_before" ? { value: 42 } : JOHN;
      expect(result.content).toEqual([{ type: "text", text: JSON.stringify(data) }]);
      expect(result.structuredContent).toBeUndefined();
    });

    test.each([
      ["user", {}, JOHN],
      ["get_product", { productId: "123" }, LAPTOP],
      ["get_analytics", { period: "week" }, ANALYTICS],
      ["get_user", { userId: "7" }, { id: "7", ...JOHN }],
      ["optional_fields", {}, { email: JOHN.email }],
      ["data_after", {}, { value: 42 }],
      ["automatic", {}, { name: "John", age: 30 }],
      ["serializable", {}, { name: "John", date: "1970-01-01T00:00:00.000Z", value: 42 }],
    ])("%s: text and structured content", async (name, args, data) => {
      const tool = (await client.tools()).find((tool) => tool.name === `page_${name}`);
      expect(tool?.outputSchema).toBeDefined();
      const result = await client.call(`page_${name}`, args);
      expect(result.content).toEqual([{ type: "text", text: JSON.stringify(data) }]);
      expect(result.structuredContent).toEqual(data);
      expect(result.isError ?? false).toBe(false);
    });

    test.each([
      ["search_users", { query: "a" }, USERS, JSON.stringify(USERS)],
      ["array_value", {}, [1, 2.5, 3], "[1,2.5,3]"],
      ["number_value", {}, 42, "42"],
    ])("%s: an array or a scalar", async (name, args, data, text) => {
      const result = await client.call(`page_${name}`, args);
      expect(result.content).toEqual([{ type: "text", text }]);
      expect(result.structuredContent).toEqual(inside(data));
    });

    test("a string is a string", async () => {
      const result = await client.call("page_string_value");
      expect(result.structuredContent).toEqual(inside("a word"));
      expect(JSON.stringify(result.content)).toContain("a word");
    });

    test("text that is no JSON goes through, and it is said why there is no more", async () => {
      const result = await client.call("page_plain_text");
      expect(result.isError ?? false).toBe(false);
      expect(JSON.stringify(result.content)).toContain("Some plain text");
      expect(JSON.stringify(result)).toContain("no text of the result is JSON");
    });

    test("what a handler throws is an error with its message", async () => {
      const result = await client.call("page_fails");
      expect(result).toMatchObject({ content: [{ type: "text", text: "Failed to fetch data: 503" }], isError: true });
      const circle = await client.call("page_not_serializable");
      expect(circle.isError).toBe(true);
      expect(JSON.stringify(circle.content)).toContain("circular");
    });

    test("digits stay", async () => {
      const { content } = await client.call("page_digits");
      expect(content).toEqual([{ type: "text", text: '{"n":12345678901234567890.10}' }]);
    });

    test("a handler's own structured content, error and meta are kept", async () => {
      const own = await client.call("page_own");
      expect(own.content).toEqual([{ type: "text", text: "seen" }]);
      expect(own.structuredContent).toEqual({ name: "own" });
      expect(own._meta?.["example.org/x"]).toBe(7);
      expect(await client.call("page_own_error")).toMatchObject({
        content: [{ type: "text", text: "no" }],
        isError: true,
      });
    });
  });
});
