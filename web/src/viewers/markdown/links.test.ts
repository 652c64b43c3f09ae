import { expect, it } from "vitest";
import { slugOf, targetOf } from "./links";

it.each([
  ["https://example.org/a?b", { kind: "web", href: "https://example.org/a?b", host: "example.org" }],
  ["https://google.com@evil.example/", { kind: "web", href: "https://evil.example/", host: "evil.example" }],
  ["mailto:a@example.org", { kind: "web", href: "mailto:a@example.org", host: "a@example.org" }],
  ["#Some%20Heading", { kind: "inside", id: "some-heading" }],
  ["#/tool/x/y?args={}", { kind: "inside", id: "toolxyargs" }],
  ["javascript:alert(1)", { kind: "none", shown: "javascript:alert(1)" }],
  ["JaVaScRiPt:alert(1)", { kind: "none", shown: "JaVaScRiPt:alert(1)" }],
  ["data:text/html,x", { kind: "none", shown: "data:text/html,x" }],
  ["blob:http://127.0.0.1/x", { kind: "none", shown: "blob:http://127.0.0.1/x" }],
  ["../api/files", { kind: "none", shown: "../api/files" }],
  ["//evil.example", { kind: "none", shown: "//evil.example" }],
  [undefined, { kind: "none", shown: "" }],
] as const)("%s", (href, target) => {
  expect(targetOf(href)).toEqual(target);
});

it("makes names of headings", () => {
  expect(slugOf("  Hello, World! (2)  ")).toBe("hello-world-2");
  expect(slugOf("Größe & Maß")).toBe("größe-maß");
});
