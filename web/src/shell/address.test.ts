import { describe, expect, it } from "vitest";
import { readAddress, writeAddress, type Place } from "./address";

describe("an address", () => {
  it.each<Place>([
    { kind: "home" },
    { kind: "tool", server: "demo", tool: "sales_report" },
    { kind: "tool", server: "a b", tool: "x/y?z#", args: '{"n":12345678901234567890,"t":"a&b=c+d é"}' },
    { kind: "call", id: "0198-aa" },
    { kind: "file", key: "k/1" },
  ])("comes back as it was written: %j", (place) => {
    expect(readAddress(writeAddress(place, "s 1"))).toEqual({ place, session: "s 1", hasFailed: false });
    expect(readAddress(writeAddress(place))).toEqual({ place, hasFailed: false });
  });

  it("takes the code of a sign-in, or that it failed", () => {
    expect(readAddress("#code=abc")).toEqual({ place: { kind: "home" }, code: "abc", hasFailed: false });
    expect(readAddress("#failed")).toEqual({ place: { kind: "home" }, hasFailed: true });
  });

  it("is the home of whatever it does not know", () => {
    for (const text of ["", "#", "#/", "#/tool/x", "#/call/", "#/nonsense/a/b", "#%E0%A4%A"])
      expect(readAddress(text).place).toEqual({ kind: "home" });
    expect(readAddress("#/call/%E0%A4%A").place).toEqual({ kind: "call", id: "%E0%A4%A" });
  });
});
