// Where a table's model runs: in a worker for files, in the page for the rows of a result.
import { startWorker } from "../../ui/trusted";
import { TableModel, type Answer, type Request } from "./answer";
import type { Packed } from "./packed";
import workerUrl from "./table.worker?worker&url";

export interface TableHost {
  send: (request: Request) => void;
  listen: (listener: (answer: Answer) => void) => void;
  close: () => void;
}

export function hostHere(table: Packed): TableHost & { model: TableModel } {
  const model = new TableModel(table);
  let tell: (answer: Answer) => void = () => undefined;
  return {
    model,
    send: (request) => {
      if (request.ask === "arrange") tell({ tell: "arranged", turn: request.turn, rows: model.arrange(request) });
    },
    listen: (listener) => {
      tell = listener;
    },
    close: () => undefined,
  };
}

export function hostInWorker(): TableHost {
  const worker = startWorker(workerUrl, "table");
  return {
    send: (request) => worker.postMessage(request),
    listen: (listener) => {
      worker.onmessage = (event: MessageEvent<Answer>) => listener(event.data);
      worker.onerror = (event) => listener({ tell: "problem", message: event.message || "The worker failed." });
    },
    close: () => worker.terminate(),
  };
}
