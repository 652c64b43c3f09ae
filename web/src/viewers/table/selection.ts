// A block of cells that is marked, and how keys move it.

export interface Cell {
  row: number;
  column: number;
}

/** From where marking began to where it is now; both are places on the screen, not in the file. */
export interface Selection {
  anchor: Cell;
  focus: Cell;
}

export interface Block {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

export function blockOf({ anchor, focus }: Selection): Block {
  return {
    top: Math.min(anchor.row, focus.row),
    bottom: Math.max(anchor.row, focus.row),
    left: Math.min(anchor.column, focus.column),
    right: Math.max(anchor.column, focus.column),
  };
}

export interface Keys {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
}

/** The selection after a key; absent where the key does not move it. */
export function moved(selection: Selection, keys: Keys, size: { rows: number; columns: number; page: number }): Selection | undefined {
  const { row, column } = selection.focus;
  const isFar = keys.ctrlKey || keys.metaKey;
  const last = { row: size.rows - 1, column: size.columns - 1 };
  const target = ((): Cell | undefined => {
    switch (keys.key) {
      case "ArrowDown": return { row: isFar ? last.row : row + 1, column };
      case "ArrowUp": return { row: isFar ? 0 : row - 1, column };
      case "ArrowRight": return { row, column: isFar ? last.column : column + 1 };
      case "ArrowLeft": return { row, column: isFar ? 0 : column - 1 };
      case "PageDown": return { row: row + size.page, column };
      case "PageUp": return { row: row - size.page, column };
      case "Home": return { row: isFar ? 0 : row, column: 0 };
      case "End": return { row: isFar ? last.row : row, column: last.column };
      default: return undefined;
    }
  })();
  if (keys.key === "a" && isFar) return { anchor: { row: 0, column: 0 }, focus: last };
  if (!target || size.rows === 0 || size.columns === 0) return undefined;
  const focus = {
    row: Math.max(0, Math.min(last.row, target.row)),
    column: Math.max(0, Math.min(last.column, target.column)),
  };
  return { anchor: keys.shiftKey ? selection.anchor : focus, focus };
}
