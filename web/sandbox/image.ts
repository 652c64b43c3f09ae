// Pictures: fitted, at their own size, or as large as the person likes, moved by dragging, the wheel and keys.
// The size comes from the header before anything is decoded. SVG is shown as an image, where browsers run no
// script in it and load nothing for it.

import { pictureOf, refusalOf } from "./dimensions";
import { type Line, type Show, button, element } from "./shell";

const ZOOM_MAX = 64;
const SHOWN_SIDE_MAX = 400_000;
const GRID_FROM = 8;

export async function showImage({ blob, name, viewer }: Show, line: Line): Promise<void> {
  const mime = viewer === "svg" ? "image/svg+xml" : await rasterType(blob);
  const image = element("img", { alt: name, draggable: "false" });
  image.src = URL.createObjectURL(new Blob([blob], { type: mime }));
  try {
    await image.decode();
  } catch {
    throw new Error("The bytes are not a picture that this browser can show.");
  }
  const size = { width: image.naturalWidth || 300, height: image.naturalHeight || 150 };
  stageImage(image, size, mime === "image/svg+xml", line);
  line.send({ kind: "shown", facts: size });
}

/** The media type by the bytes; a picture that is too large to decode is refused here. */
async function rasterType(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const picture = pictureOf(bytes);
  if (!picture) {
    const head = new TextDecoder().decode(bytes.subarray(0, 1024));
    if (/^\s*(<\?xml|<!--|<!doctype svg|<svg)/i.test(head) && /<svg/i.test(head)) return "image/svg+xml";
    throw new Error("The first bytes are not those of a picture that browsers can show.");
  }
  const refusal = refusalOf(picture);
  if (refusal) throw new Error(refusal);
  return picture.mime;
}

interface Size {
  width: number;
  height: number;
}

function stageImage(image: HTMLImageElement, size: Size, isVector: boolean, line: Line): void {
  const grid = element("div", { class: "grid", hidden: "" });
  const view = element("div", { class: "view", tabindex: "0", role: "group", "aria-label": "Picture" }, image, grid);
  const shownZoom = element("span", { class: "zoom", role: "status" });
  let scale = 1;
  let left = 0;
  let top = 0;
  let isFitted = true;
  let wantsGrid = true;

  const zoomMax = Math.min(ZOOM_MAX, SHOWN_SIDE_MAX / Math.max(size.width, size.height));
  const fitScale = (): number => {
    const room = Math.min((view.clientWidth - 24) / size.width, (view.clientHeight - 24) / size.height);
    return Math.max(0.001, isVector ? Math.min(room, zoomMax) : Math.min(room, 1));
  };
  const draw = (): void => {
    const width = size.width * scale;
    const height = size.height * scale;
    // A picture that is smaller than the view stands in its middle; a larger one covers it.
    left = width <= view.clientWidth ? (view.clientWidth - width) / 2 : clamp(left, view.clientWidth - width, 0);
    top = height <= view.clientHeight ? (view.clientHeight - height) / 2 : clamp(top, view.clientHeight - height, 0);
    for (const part of [image, grid]) {
      part.style.width = `${width}px`;
      part.style.height = `${height}px`;
      part.style.transform = `translate(${left}px, ${top}px)`;
    }
    image.classList.toggle("pixels", scale >= 3 && !isVector);
    grid.hidden = isVector || !wantsGrid || scale < GRID_FROM;
    grid.style.backgroundSize = `${scale}px ${scale}px`;
    shownZoom.textContent = `${scale < 0.1 ? (scale * 100).toFixed(1) : Math.round(scale * 100)} %`;
    fitButton.setAttribute("aria-pressed", String(isFitted));
  };
  const fit = (): void => {
    isFitted = true;
    scale = fitScale();
    draw();
  };
  /** Zooms so that the point under the pointer, or the middle, stays where it is. */
  const zoomTo = (wanted: number, x = view.clientWidth / 2, y = view.clientHeight / 2): void => {
    const next = clamp(wanted, Math.min(fitScale(), 0.05), zoomMax);
    left = x - ((x - left) / scale) * next;
    top = y - ((y - top) / scale) * next;
    scale = next;
    isFitted = false;
    draw();
    line.send({ kind: "state", zoom: scale });
  };
  const pan = (dx: number, dy: number): void => {
    left += dx;
    top += dy;
    draw();
  };

  const fitButton = button("Fit", "Fit the picture to the view (0)", fit);
  const gridButton = button("Grid", "Pixel grid when zoomed in (G)", () => {
    wantsGrid = !wantsGrid;
    gridButton.setAttribute("aria-pressed", String(wantsGrid));
    draw();
  });
  gridButton.setAttribute("aria-pressed", "true");
  const bar = element(
    "div",
    { class: "bar", role: "toolbar", "aria-label": "Picture" },
    button("−", "Zoom out (-)", () => zoomTo(scale / 1.25)),
    shownZoom,
    button("+", "Zoom in (+)", () => zoomTo(scale * 1.25)),
    fitButton,
    button("100 %", "Own size, 100 % (1)", () => zoomTo(1)),
    ...(isVector ? [] : [gridButton]),
    element("span", { class: "grow" }),
    element("span", { class: "facts" }, `${size.width.toLocaleString("en")} × ${size.height.toLocaleString("en")}`),
  );

  view.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      zoomTo(scale * Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.03 : 0.0015)), event.offsetX, event.offsetY);
    },
    { passive: false },
  );
  view.addEventListener("pointerdown", (event) => {
    view.setPointerCapture(event.pointerId);
    view.classList.add("dragging");
  });
  view.addEventListener("pointermove", (event) => {
    if (view.hasPointerCapture(event.pointerId)) pan(event.movementX, event.movementY);
  });
  view.addEventListener("pointerup", () => view.classList.remove("dragging"));
  view.addEventListener("dblclick", (event) => (isFitted ? zoomTo(1, event.offsetX, event.offsetY) : fit()));
  const keys: Record<string, () => void> = {
    "+": () => zoomTo(scale * 1.25),
    "=": () => zoomTo(scale * 1.25),
    "-": () => zoomTo(scale / 1.25),
    "0": fit,
    "1": () => zoomTo(1),
    g: () => gridButton.click(),
    ArrowLeft: () => pan(60, 0),
    ArrowRight: () => pan(-60, 0),
    ArrowUp: () => pan(0, 60),
    ArrowDown: () => pan(0, -60),
  };
  addEventListener("keydown", (event) => {
    const action = keys[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  });
  // The pointer's place is measured on the view, whatever lies on it.
  image.style.pointerEvents = "none";
  document.body.replaceChildren(view, bar);
  new ResizeObserver(() => (isFitted ? fit() : draw())).observe(view);
  fit();
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
