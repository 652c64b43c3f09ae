// One tooltip for the whole page: whatever has `data-tip` shows it on hover and on focus by the keyboard.
// It repeats what a label says already, so it is hidden from screen readers.

import { useEffect, useRef, type ReactElement } from "react";
import { placeBeside } from "./place";

const DELAY_MS = 450;

export function TooltipLayer(): ReactElement {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const tip = box.current;
    if (!tip) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let over: Element | null = null;
    const hide = (): void => {
      clearTimeout(timer);
      over = null;
      if (tip.matches(":popover-open")) tip.hidePopover();
    };
    const show = (target: Element, delay: number): void => {
      if (target === over) return;
      hide();
      over = target;
      timer = setTimeout(() => {
        const text = target.getAttribute("data-tip");
        if (!text || !target.isConnected) return;
        tip.textContent = text;
        tip.showPopover();
        placeBeside(tip, target.getBoundingClientRect());
      }, delay);
    };
    const tipped = (event: Event): Element | null =>
      event.target instanceof Element ? event.target.closest("[data-tip]") : null;
    const onOver = (event: Event): void => {
      const target = tipped(event);
      if (target) show(target, DELAY_MS);
      else hide();
    };
    const onFocus = (event: Event): void => {
      const target = tipped(event);
      if (target?.matches(":focus-visible")) show(target, 0);
    };
    document.addEventListener("pointerover", onOver);
    document.addEventListener("focusin", onFocus);
    for (const name of ["focusout", "pointerdown", "keydown", "scroll"]) document.addEventListener(name, hide, true);
    return () => {
      hide();
      document.removeEventListener("pointerover", onOver);
      document.removeEventListener("focusin", onFocus);
      for (const name of ["focusout", "pointerdown", "keydown", "scroll"])
        document.removeEventListener(name, hide, true);
    };
  }, []);
  return <div ref={box} popover="manual" className="ui-tooltip" aria-hidden="true" />;
}

/** Gives any element a tooltip. */
export function tip(text: string): { "data-tip": string } {
  return { "data-tip": text };
}
