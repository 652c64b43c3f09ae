// A page with three tools: one reads its state, one changes it, one returns files. All that MCP needs
// is the block of `registerTool` below; the rest is the page that it is about.
import { connect, type ConnectionState } from "@resultant/browser";
import { type Board, change, FIRST_BOARD, LOAVES_MAX, money, sumOf, toCsv } from "./board.js";
import { chartOf } from "./picture.js";
import { pageToken, takeCode } from "./sign-in.js";

const gateway = new URL("..", document.baseURI);
let board: Board = FIRST_BOARD;

showBoard();
await takeCode(gateway).catch(() => undefined);
const page = connect({ url: gateway.href, token: () => pageToken(gateway) });
page.state.subscribe(showStatus);
showStatus(page.state.get());

page.registerTool(
  "read_board",
  "Reads the bakery's board as the page shows it: what is ordered for tomorrow, prices and notes.",
  { type: "object", properties: {}, additionalProperties: false },
  () => {
    log("read_board", "read");
    const orders = board.map(({ bread, loaves, cents, note }) => ({ bread, loaves, each: money(cents), note }));
    return { orders, loaves: board.reduce((sum, order) => sum + order.loaves, 0), sum: money(sumOf(board)) };
  },
  {
    title: "Read the board",
    annotations: { readOnlyHint: true },
    outputSchema: {
      type: "object",
      properties: {
        orders: {
          type: "array",
          items: {
            type: "object",
            properties: {
              bread: { type: "string" },
              loaves: { type: "integer" },
              each: { type: "string", description: "The price of one, in euros" },
              note: { type: "string" },
            },
            required: ["bread", "loaves", "each", "note"],
          },
        },
        loaves: { type: "integer" },
        sum: { type: "string", description: "In euros" },
      },
      required: ["orders", "loaves", "sum"],
    },
  },
);

page.registerTool(
  "change_order",
  "Changes one order on the bakery's board: how many loaves, or its note. The person sees it at once.",
  {
    type: "object",
    properties: {
      bread: { type: "string", enum: FIRST_BOARD.map((order) => order.bread) },
      loaves: { type: "integer", minimum: 0, maximum: LOAVES_MAX },
      note: { type: "string", maxLength: 80 },
    },
    required: ["bread"],
  },
  (args) => {
    const { bread, loaves, note } = args as { bread: string; loaves?: number; note?: string };
    board = change(board, bread, loaves, note);
    showBoard(bread);
    log("change_order", [bread, loaves, note].filter((part) => part !== undefined).join(", "));
    return board.find((order) => order.bread === bread.trim().toLowerCase());
  },
  { title: "Change an order", annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true } },
);

page.registerTool(
  "board_as_file",
  "Returns the bakery's board as a file: the table as CSV, or a chart of it as a PNG picture.",
  { type: "object", properties: { as: { type: "string", enum: ["csv", "png"], default: "csv" } } },
  async (args, { progress }) => {
    const as = args["as"] ?? "csv";
    log("board_as_file", String(as));
    progress(0, 1, "drawing");
    return as === "png" ? await chartOf(board) : new File([toCsv(board)], "board.csv", { type: "text/csv" });
  },
  { title: "The board as a file", annotations: { readOnlyHint: true } },
);

function showBoard(changed?: string): void {
  const rows = board.map(({ bread, loaves, cents, note }) => {
    const row = document.createElement("tr");
    row.append(cell("th", bread), cell("td", String(loaves), true), cell("td", money(cents), true));
    row.append(cell("td", money(loaves * cents), true), cell("td", note));
    row.classList.toggle("changed", bread === changed);
    return row;
  });
  document.querySelector("tbody")?.replaceChildren(...rows);
  write("loaves", String(board.reduce((sum, order) => sum + order.loaves, 0)));
  write("sum", money(sumOf(board)));
}

function cell(kind: "th" | "td", text: string, isNumber = false): HTMLElement {
  const cell = document.createElement(kind);
  cell.textContent = text;
  if (kind === "th") cell.setAttribute("scope", "row");
  if (isNumber) cell.className = "number";
  return cell;
}

function showStatus({ status, user, reason }: ConnectionState): void {
  const words = {
    connecting: "Connecting…",
    connected: `Connected as ${user}`,
    reconnecting: `Connecting again: ${reason ?? "the gateway does not answer"}`,
    refused: `Not signed in. Open the gateway's page in this tab first, then come back. (${reason})`,
    closed: "Closed",
  };
  write("status", words[status]);
  document.getElementById("status")?.setAttribute("data-status", status);
}

function log(tool: string, what: string): void {
  const entry = document.createElement("li");
  const name = document.createElement("code");
  name.textContent = tool;
  entry.append(name, ` ${what}`);
  document.getElementById("log")?.prepend(entry);
  document.getElementById("none")?.setAttribute("hidden", "");
}

function write(id: string, text: string): void {
  const element = document.getElementById(id);
  if (element) element.textContent = text;
}
