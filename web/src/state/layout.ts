// Which columns are open. The canvas says when it wants to be seen; the shell makes the room.

import { createStore } from "./store";

export type NarrowView = "left" | "middle" | "canvas";

export interface Layout {
  isLeftOpen: boolean;
  isCanvasOpen: boolean;
  /** The canvas alone, over everything. */
  isCanvasFull: boolean;
  /** On a narrow screen one column is seen at a time. */
  view: NarrowView;
}

export const layout = createStore<Layout>({
  isLeftOpen: true,
  isCanvasOpen: false,
  isCanvasFull: false,
  view: "middle",
});
