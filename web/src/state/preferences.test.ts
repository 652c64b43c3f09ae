import { expect, it } from "vitest";
import { readPreferences } from "./preferences";

it("takes what is usable and leaves the rest as it was by default", () => {
  const usual = readPreferences(null);
  expect(usual).toMatchObject({ theme: "system", canvasOpensItself: true, argumentsAs: "form" });
  for (const text of ["", "[", "7", "null", '{"theme":7,"columns":[],"folded":"x"}'])
    expect(readPreferences(text)).toEqual(usual);
  expect(readPreferences('{"theme":"dark","canvasOpensItself":false,"columns":{"left":20}}')).toMatchObject({
    theme: "dark",
    canvasOpensItself: false,
    columns: { left: 20 },
  });
});
