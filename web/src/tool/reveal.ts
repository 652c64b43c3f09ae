// Brings a call into view, as far as it fits and its beginning first. A result is drawn in steps, and is small when
// it is put in: so it is brought into view again with each step, until the person takes over.

/** What a person does who looks for something else. */
const TAKES_OVER = ["wheel", "touchmove", "pointerdown", "keydown"] as const;

export function reveal(element: HTMLElement): void {
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  element.scrollIntoView({ block: "nearest", inline: "nearest", behavior: isStill ? "instant" : "smooth" });
}

/** Goes on until it is stopped by what it gives, or by the person. */
export function revealWhileItGrows(element: HTMLElement): () => void {
  const observer = new ResizeObserver(() => reveal(element));
  const stop = (): void => {
    observer.disconnect();
    for (const type of TAKES_OVER) removeEventListener(type, stop, true);
  };
  observer.observe(element);
  for (const type of TAKES_OVER) addEventListener(type, stop, { capture: true, passive: true });
  return stop;
}
