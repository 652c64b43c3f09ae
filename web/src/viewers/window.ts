// Which rows of a long list are on the screen. All rows have one height, so this is arithmetic.
//
// Browsers cap the height of an element (Firefox at about 17.8 million pixels), so a list that would be
// higher is squeezed: the scroll bar then stands for more rows than pixels.

export const HEIGHT_MAX = 15_000_000;

export interface Shown {
  /** The first row that is drawn, and the one after the last. */
  first: number;
  end: number;
  /** Where the first drawn row's top edge is, in the scrolled content. */
  top: number;
  /** The height of the scrolled content. */
  height: number;
}

export interface Viewport {
  scrollTop: number;
  height: number;
}

export function shownRows(count: number, rowHeight: number, viewport: Viewport, overscan: number): Shown {
  const full = count * rowHeight;
  const height = Math.min(full, HEIGHT_MAX);
  const room = Math.max(0, full - viewport.height);
  const squeezedRoom = Math.max(0, height - viewport.height);
  const scrollTop = Math.min(Math.max(0, viewport.scrollTop), squeezedRoom);
  const scale = squeezedRoom > 0 ? room / squeezedRoom : 1;
  const offset = scrollTop * scale;
  const first = Math.max(0, Math.floor(offset / rowHeight) - overscan);
  const end = Math.min(count, Math.ceil((offset + viewport.height) / rowHeight) + overscan);
  return { first, end, top: scrollTop - (offset - first * rowHeight), height };
}

/** Where to scroll so that a row is seen; unchanged where it is. */
export function scrollTopFor(row: number, count: number, rowHeight: number, viewport: Viewport): number {
  const full = count * rowHeight;
  const height = Math.min(full, HEIGHT_MAX);
  const room = Math.max(0, full - viewport.height);
  const squeezedRoom = Math.max(0, height - viewport.height);
  const scale = squeezedRoom > 0 ? room / squeezedRoom : 1;
  const offset = viewport.scrollTop * scale;
  const top = row * rowHeight;
  let wanted = offset;
  if (top < offset) wanted = top;
  else if (top + rowHeight > offset + viewport.height) wanted = top + rowHeight - viewport.height;
  return wanted === offset ? viewport.scrollTop : Math.max(0, wanted / (scale || 1));
}

/** The columns on the screen, from the left edges of all of them (one more edge than columns). */
export function shownColumns(edges: ArrayLike<number>, scrollLeft: number, width: number): { first: number; end: number } {
  const count = edges.length - 1;
  const first = Math.max(0, firstAfter(edges, scrollLeft) - 1);
  const end = Math.min(count, firstAfter(edges, scrollLeft + width));
  return { first: Math.min(first, count), end: Math.max(end, Math.min(first + 1, count)) };
}

/** The first place whose edge is beyond `at`. */
function firstAfter(edges: ArrayLike<number>, at: number): number {
  let low = 0;
  let high = edges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((edges[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
