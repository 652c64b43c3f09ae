// The demo's state: what is ordered. Pure, so that the page and the tools cannot differ about it.

export interface Order {
  readonly bread: string;
  readonly loaves: number;
  /** In cents: sums stay exact. */
  readonly cents: number;
  readonly note: string;
}

export type Board = readonly Order[];

export const LOAVES_MAX = 500;

export const FIRST_BOARD: Board = [
  { bread: "rye", loaves: 24, cents: 420, note: "" },
  { bread: "sourdough", loaves: 40, cents: 520, note: "the café fetches 12 at six" },
  { bread: "baguette", loaves: 65, cents: 180, note: "" },
  { bread: "walnut", loaves: 9, cents: 610, note: "no walnuts on Friday" },
  { bread: "cinnamon rolls", loaves: 48, cents: 290, note: "" },
];

export const money = (cents: number): string => `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;

export const sumOf = (board: Board): number => board.reduce((sum, { loaves, cents }) => sum + loaves * cents, 0);

/** The board with one order changed; throws where there is no such bread. */
export function change(board: Board, bread: string, loaves: number | undefined, note: string | undefined): Board {
  const at = board.findIndex((order) => order.bread === bread.trim().toLowerCase());
  const found = board[at];
  if (!found)
    throw new Error(`there is no ${bread} on the board, only ${board.map((order) => order.bread).join(", ")}`);
  if (loaves !== undefined && !(Number.isInteger(loaves) && loaves >= 0 && loaves <= LOAVES_MAX)) {
    throw new Error(`${loaves} is no number of loaves that we can bake: 0 to ${LOAVES_MAX}`);
  }
  return board.with(at, { ...found, loaves: loaves ?? found.loaves, note: note ?? found.note });
}

export function toCsv(board: Board): string {
  const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const rows = board.map(({ bread, loaves, cents, note }) => [
    quoted(bread),
    loaves,
    money(cents),
    money(loaves * cents),
    quoted(note),
  ]);
  return [["bread", "loaves", "each", "sum", "note"], ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}
