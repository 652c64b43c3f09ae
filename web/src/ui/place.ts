// Where a box goes beside what it belongs to: below if there is room, else above, and never off the screen.

const EDGE = 8;
const APART = 4;

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export function placeOf(
  size: { width: number; height: number },
  by: Box,
  screen: { width: number; height: number },
): { left: number; top: number } {
  const below = by.bottom + APART;
  const above = by.top - APART - size.height;
  const fitsBelow = below + size.height <= screen.height - EDGE;
  const top = fitsBelow || above < EDGE ? below : above;
  const left = by.left + size.width <= screen.width - EDGE ? by.left : by.right - size.width;
  return {
    left: Math.max(EDGE, Math.min(left, screen.width - size.width - EDGE)),
    top: Math.max(EDGE, Math.min(top, screen.height - size.height - EDGE)),
  };
}

export function placeBeside(box: HTMLElement, by: Box): void {
  const screen = { width: window.innerWidth, height: window.innerHeight };
  const { left, top } = placeOf({ width: box.offsetWidth, height: box.offsetHeight }, by, screen);
  box.style.left = `${left}px`;
  box.style.top = `${top}px`;
}
