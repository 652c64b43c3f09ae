// PDF: pages as they come into view, search with all hits marked, selectable text. The parser works in a worker
// made from a blob, since this frame's origin is nobody's and may start no other. No scripting, no XFA, no links
// that lead out; what takes too long is given up, and the page then offers the download.

import * as pdfjs from "pdfjs-dist";
import "pdfjs-dist/web/pdf_viewer.css";
import workerUrl from "pdfjs-dist/build/pdf.worker.min.mjs?worker&url";
import type { EventBus, PDFViewer } from "pdfjs-dist/web/pdf_viewer.mjs";
import { type Line, type Show, button, element } from "./shell";

const OPEN_MS_MAX = 20_000;
const FIRST_PAGE_MS_MAX = 20_000;
const PAGES_MAX = 20_000;
const IMAGE_PIXELS_MAX = 64_000_000;

export async function showPdf({ blob, name }: Show, line: Line): Promise<void> {
  const worker = await startWorker();
  const task = pdfjs.getDocument({
    data: new Uint8Array(await blob.arrayBuffer()),
    worker: pdfjs.PDFWorker.create({ port: worker }),
    cMapUrl: asset("cmaps/"),
    standardFontDataUrl: asset("standard_fonts/"),
    wasmUrl: asset("wasm/"),
    iccUrl: asset("iccs/"),
    maxImageSize: IMAGE_PIXELS_MAX,
    useSystemFonts: false,
    enableXfa: false,
    verbosity: pdfjs.VerbosityLevel.ERRORS,
  });
  try {
    const pdf = await within(OPEN_MS_MAX, Promise.race([opened(task), broken(worker)]), "It could not be read in time.");
    if (pdf.numPages > PAGES_MAX) {
      throw new Error(`It says that it has ${pdf.numPages.toLocaleString("en")} pages; at most 20,000 are shown.`);
    }
    const staged = await stagePdf(pdf, name, line);
    await within(FIRST_PAGE_MS_MAX, staged.drawn, "Its first page could not be drawn in time.");
    line.send({ kind: "shown", facts: { pages: pdf.numPages } });
  } catch (error) {
    worker.terminate();
    document.body.replaceChildren();
    throw error;
  }
}

async function startWorker(): Promise<Worker> {
  const response = await fetch(workerUrl);
  if (!response.ok) throw new Error("The viewer for PDF could not be loaded.");
  const code = new Blob([await response.text()], { type: "text/javascript" });
  return new Worker(URL.createObjectURL(code));
}

function asset(path: string): string {
  return new URL(`assets/pdf/${path}`, document.baseURI).href;
}

function opened(task: pdfjs.PDFDocumentLoadingTask): Promise<pdfjs.PDFDocumentProxy> {
  return new Promise((resolve, reject) => {
    task.onPassword = () => reject(new Error("It is locked with a password."));
    task.promise.then(resolve, reject);
  });
}

/** Never kept, and broken when the worker cannot go on. */
function broken(worker: Worker): Promise<never> {
  return new Promise((_, reject) => worker.addEventListener("error", () => reject(new Error("The viewer for PDF failed."))));
}

function within<T>(milliseconds: number, work: Promise<T>, late: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(late)), milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Builds the viewer and its bar; `drawn` is kept when a page has been drawn. */
async function stagePdf(pdf: pdfjs.PDFDocumentProxy, name: string, line: Line): Promise<{ drawn: Promise<void> }> {
  const viewers = await import("pdfjs-dist/web/pdf_viewer.mjs");
  const scroller = element("div", { class: "scroller", tabindex: "0", role: "document", "aria-label": name });
  scroller.append(element("div", { class: "pdfViewer" }));
  const eventBus = new viewers.EventBus();
  const linkService = new viewers.PDFLinkService({ eventBus });
  linkService.externalLinkEnabled = false;
  const findController = new viewers.PDFFindController({ eventBus, linkService });
  const bar = element("div", { class: "bar", role: "toolbar", "aria-label": "PDF" });
  document.body.replaceChildren(element("div", { class: "pages" }, scroller), bar);
  const viewer = new viewers.PDFViewer({
    container: scroller,
    eventBus,
    linkService,
    findController,
    annotationMode: pdfjs.AnnotationMode.ENABLE,
    annotationEditorMode: pdfjs.AnnotationEditorType.DISABLE,
    imagesRightClickMinSize: -1,
  });
  linkService.setViewer(viewer);
  fillBar(bar, viewer, eventBus, pdf.numPages, line);
  const drawn = new Promise<void>((resolve, reject) => {
    eventBus.on("pagerendered", (event: { error?: Error | null }) =>
      event.error ? reject(new Error("Its first page could not be drawn.")) : resolve(),
    );
  });
  eventBus.on("pagesinit", () => {
    viewer.currentScaleValue = "page-width";
    if (viewer.currentScale > 1.5) viewer.currentScaleValue = "auto";
  });
  viewer.setDocument(pdf);
  linkService.setDocument(pdf, null);
  new ResizeObserver(() => {
    const value = viewer.currentScaleValue;
    if (pdf.numPages > 0 && (value === "page-width" || value === "auto")) viewer.currentScaleValue = value;
  }).observe(scroller);
  return { drawn };
}

function fillBar(bar: HTMLElement, viewer: PDFViewer, eventBus: EventBus, pages: number, line: Line): void {
  const page = element("input", {
    class: "number",
    type: "number",
    min: "1",
    max: String(pages),
    value: "1",
    "aria-label": "Page",
  });
  const zoom = element("span", { class: "zoom", role: "status" }, "–");
  const find = element("input", { class: "find", type: "search", placeholder: "Find", "aria-label": "Find in the PDF" });
  const hits = element("span", { class: "facts", role: "status" });
  const goTo = (number: number): void => {
    viewer.currentPageNumber = Math.min(Math.max(1, Math.round(number)), pages);
  };
  const search = (type: "" | "again", findPrevious = false): void => {
    if (find.value === "") hits.textContent = "";
    eventBus.dispatch("find", {
      source: bar,
      type,
      query: find.value,
      caseSensitive: false,
      entireWord: false,
      highlightAll: true,
      findPrevious,
      matchDiacritics: false,
    });
  };
  page.addEventListener("change", () => goTo(Number(page.value) || 1));
  find.addEventListener("input", () => search(""));
  find.addEventListener("keydown", (event) => {
    if (event.key === "Enter") search("again", event.shiftKey);
    if (event.key !== "Escape" || find.value === "") return;
    event.preventDefault();
    find.value = "";
    search("");
  });
  addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "f") {
      event.preventDefault();
      find.select();
    }
  });
  eventBus.on("pagechanging", ({ pageNumber }: { pageNumber: number }) => {
    page.value = String(pageNumber);
    line.send({ kind: "state", page: pageNumber, pages });
  });
  eventBus.on("scalechanging", ({ scale }: { scale: number }) => {
    zoom.textContent = `${Math.round(scale * 100)} %`;
  });
  const onMatches = ({ matchesCount }: { matchesCount: { current: number; total: number } }): void => {
    const { current, total } = matchesCount;
    hits.textContent = find.value === "" ? "" : total === 0 ? "not found" : `${current} of ${total}`;
  };
  eventBus.on("updatefindmatchescount", onMatches);
  eventBus.on("updatefindcontrolstate", onMatches);
  bar.append(
    button("‹", "Previous page", () => goTo(viewer.currentPageNumber - 1)),
    page,
    element("span", { class: "facts" }, `of ${pages.toLocaleString("en")}`),
    button("›", "Next page", () => goTo(viewer.currentPageNumber + 1)),
    element("span", { class: "grow" }),
    find,
    hits,
    button("↑", "Previous hit", () => search("again", true)),
    button("↓", "Next hit", () => search("again")),
    element("span", { class: "grow" }),
    button("−", "Zoom out", () => viewer.decreaseScale()),
    zoom,
    button("+", "Zoom in", () => viewer.increaseScale()),
    button("Fit", "Fit to the width", () => {
      viewer.currentScaleValue = "page-width";
    }),
  );
}
