import { describe, expect, it } from "vitest";
import { allowingLines, judge } from "./origins";

const ours = ["http://127.0.0.1:8737/", "http://localhost:8738"];
const allowed = ["https://metrics.example.com", "http://127.0.0.1:*"];

describe("an address for a dashboard", () => {
  it.each([
    ["https://metrics.example.com/a?b#c", true],
    ["https://metrics.example.com:443/", true],
    ["http://127.0.0.1:5000/", true],
    ["http://127.0.0.1/", true],
    ["https://127.0.0.1:5000/", false],
    ["http://127.0.0.1.evil.example/", false],
    ["https://metrics.example.com.evil.example/", false],
    ["https://evil.example/?https://metrics.example.com", false],
    ["https://metrics.example.com:8443/", false],
    ["http://metrics.example.com/", false],
    ["https://user:pw@metrics.example.com/", false],
    ["javascript:alert(1)", false],
    ["data:text/html,x", false],
    ["blob:https://metrics.example.com/x", false],
    ["file:///etc/passwd", false],
    ["//metrics.example.com", false],
    ["", false],
  ])("%s: %s", (address, isAllowed) => expect(judge(address, allowed, ours).kind === "allowed").toBe(isAllowed));

  it.each(["http://127.0.0.1:8737/", "http://localhost:8737/", "http://[::1]:8737/", "http://127.0.0.2:8738/", "http://localhost.:8738/", "http://0x7f000001:8737/"])(
    "is never our own: %s",
    (address) => {
      const any = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*", "http://127.0.0.2:*", "http://localhost.:*"];
      expect(judge(address, any, ours)).toMatchObject({ kind: "refused", reason: expect.stringContaining("gateway itself") });
    },
  );

  it("is not matched by a pattern that is none", () => {
    for (const pattern of ["*", "http://*", "https://*.example.com", "http://127.0.0.1:*/x", ""]) {
      expect(judge("http://127.0.0.1:5000/", [pattern], ours).kind).toBe("refused");
    }
  });
});

it("the lines that allow it keep what is allowed", () => {
  const lines = allowingLines("https://b.example", ["https://a.example"]);
  expect(JSON.parse(`{${lines}}`)).toEqual({ dashboards: { origins: ["https://a.example", "https://b.example"] } });
});
