// Arrow keys in a list of rows: whatever in it has `data-row` takes the focus in turn.

import type { KeyboardEvent } from "react";

export function moveInRows(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const isEdge = event.key === "Home" || event.key === "End";
  if (step === undefined && !isEdge) return;
  if (event.target instanceof HTMLInputElement && (isEdge || step === -1)) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-row]")].filter(
    (row) => row.offsetParent !== null,
  );
  if (rows.length === 0) return;
  const at = rows.findIndex((row) => row === document.activeElement || row.contains(document.activeElement));
  const to = isEdge
    ? event.key === "Home"
      ? 0
      : rows.length - 1
    : Math.max(0, Math.min(rows.length - 1, at + (step ?? 0)));
  event.preventDefault();
  rows[to]?.focus();
}
