import { expect, it } from "vitest";
import { sourceOfText } from "./source";

it("gives parts, the head and all of a text", async () => {
  const source = sourceOfText("größe");
  expect(source.size).toBe(7);
  expect(await source.range(0, 2)).toEqual(new Uint8Array([0x67, 0x72]));
  expect(await source.range(6, 100)).toEqual(new Uint8Array([0x65]));
  expect(await source.range(9, 12)).toHaveLength(0);
  expect((await source.head(3)).isWhole).toBe(false);
  expect((await source.head(7)).isWhole).toBe(true);
  expect(await (await source.blob()).text()).toBe("größe");
});
