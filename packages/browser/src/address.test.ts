import { expect, test } from "vitest";
import { pageAddress } from "./address.js";

test.each([
  ["http://127.0.0.1:8737", "ws://127.0.0.1:8737/api/page"],
  ["https://tools.example.org/", "wss://tools.example.org/api/page"],
  ["https://example.org/tools/?a=1#b", "wss://example.org/tools/api/page"],
  ["wss://example.org/api/page", "wss://example.org/api/page"],
  ["..", "wss://page.example/api/page"],
  ["/gateway", "wss://page.example/gateway/api/page"],
])("%s is reached at %s", (url, address) => {
  expect(pageAddress(url, "https://page.example/demo/")).toBe(address);
});

test("other addresses are refused", () => {
  expect(() => pageAddress("ftp://example.org")).toThrow("no address of a gateway");
});
