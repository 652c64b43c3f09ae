import { describe, expect, it } from "vitest";
import { chooseKind, gatewayViewer, naturalKind, offeredKinds } from "./kind";

describe("kind of a file", () => {
  it.each([
    ["application/pdf", "a.bin", "pdf"],
    ["text/html; charset=utf-8", "a.txt", "html"],
    ["TEXT/CSV", "a", "table"],
    ["image/svg+xml", "a.svg", "svg"],
    ["image/png", "a.svg", "image"],
    ["image/tiff", "a.tif", "hex"],
    ["application/geo+json", "a", "json"],
    ["application/x-ndjson", "a", "table"],
    ["application/vnd.ms-excel", "a.csv", "table"],
    ["application/octet-stream", "a.JPG", "image"],
    ["application/octet-stream", "a.unknown", "hex"],
    ["", "Dockerfile", "code"],
    ["text/x-python", "a", "code"],
    ["application/atom+xml", "a", "code"],
    ["text/plain", "a.log", "log"],
    ["text/plain", "a.rs", "code"],
    ["text/plain", "a.patch", "diff"],
    ["text/plain", "a.html", "text"],
    ["text/plain", "a.svg", "text"],
    ["text/plain", "a.png", "text"],
    ["application/zip", "a.zip", "hex"],
    ["audio/wav", "a", "audio"],
    ["video/mp4", "a", "video"],
  ])("%s %s is %s", (mime, name, kind) => {
    expect(chooseKind({ mime, name })).toBe(kind);
  });

  it("a hint asks for less, never for more", () => {
    expect(chooseKind({ mime: "text/html", name: "a.html" }, "code")).toBe("code");
    expect(chooseKind({ mime: "text/plain", name: "a.txt" }, "html")).toBe("text");
    expect(chooseKind({ mime: "image/png", name: "a.png" }, "code")).toBe("image");
    expect(chooseKind({ mime: "image/png", name: "a.png" }, "html")).toBe("image");
    expect(chooseKind({ mime: "text/html", name: "a.html" }, "auto")).toBe("html");
  });

  it("a hint decides where type and extension do not", () => {
    expect(chooseKind({ mime: "application/octet-stream", name: "chart" }, "image")).toBe("image");
    expect(chooseKind({ mime: "application/octet-stream", name: "chart" }, "__proto__")).toBe("hex");
    expect(chooseKind({ mime: "application/octet-stream", name: "chart" }, "constructor")).toBe("hex");
  });

  it("the gateway's own word is no hint, a result's is", () => {
    expect(chooseKind({ mime: "text/x-ndjson", name: "a", viewer: "code" })).toBe("table");
    expect(chooseKind({ mime: "text/markdown", name: "a.md", viewer: "markdown" })).toBe("markdown");
    expect(chooseKind({ mime: "text/markdown", name: "a.md", viewer: "code" })).toBe("markdown");
    expect(chooseKind({ mime: "image/svg+xml", name: "a.svg", viewer: "code" })).toBe("code");
    expect(chooseKind({ mime: "image/svg+xml", name: "a.svg", viewer: "image" })).toBe("svg");
    expect(gatewayViewer("application/octet-stream", "a.md")).toBe("markdown");
  });

  it("offers other ways to read the same bytes", () => {
    expect(offeredKinds("html", { mime: "text/html", name: "a.html" })).toEqual(["html", "code", "text", "hex"]);
    expect(offeredKinds("code", { mime: "text/html", name: "a.html" })).toEqual(["code", "html", "text", "hex"]);
    expect(offeredKinds("json", { mime: "application/json", name: "a" })).toEqual(["json", "table", "code", "text", "hex"]);
    expect(offeredKinds("image", { mime: "image/png", name: "a" })).toEqual(["image", "text", "hex"]);
    expect(naturalKind("", "")).toBeUndefined();
  });
});
