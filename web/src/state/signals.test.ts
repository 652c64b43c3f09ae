import { expect, it } from "vitest";
import { createSignal } from "./signals";

it("keeps what comes early for the first listener", () => {
  const signal = createSignal<number>();
  signal.emit(1);
  signal.emit(2);
  const heard: number[] = [];
  const stop = signal.listen((value) => heard.push(value));
  signal.emit(3);
  stop();
  expect(heard).toEqual([1, 2, 3]);
});

it("forgets what comes early where it is told to", () => {
  const signal = createSignal<number>({ keepsEarly: false });
  signal.emit(1);
  const heard: number[] = [];
  signal.listen((value) => heard.push(value));
  signal.emit(2);
  expect(heard).toEqual([2]);
});
