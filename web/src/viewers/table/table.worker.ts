// Reads, sorts and filters a table away from the page. The page gets a copy of the packed table, which is
// a few buffers, and draws cells from it without asking back.
import { readTable, TableModel, type Answer, type Request } from "./answer";

let model: TableModel | undefined;

self.onmessage = (event: MessageEvent<Request>): void => {
  const request = event.data;
  if (request.ask === "read") {
    const table = readTable(request.bytes, request.format, request.isCut);
    if ("problem" in table) return tell({ tell: "problem", message: table.problem });
    model = new TableModel(table);
    return tell({ tell: "read", table, facts: model.facts });
  }
  if (!model) return;
  const rows = model.arrange(request);
  tell({ tell: "arranged", turn: request.turn, rows }, [rows.buffer]);
};

function tell(answer: Answer, transfer: Transferable[] = []): void {
  (self as unknown as { postMessage: (answer: Answer, transfer: Transferable[]) => void }).postMessage(answer, transfer);
}
