// Where a tree's model runs: in a worker for files, in the page for small values. Both take the same
// requests; the one in the page answers at once, so that a small value is on the screen in the first frame.
import { startWorker } from "../../ui/trusted";
import type { Node } from "../../json/json";
import workerUrl from "./tree.worker?worker&url";
import { answer, type Answer, type Request } from "./answer";
import { TreeModel } from "./model";

export interface TreeHost {
  send: (request: Request) => void;
  listen: (listener: (answer: Answer) => void) => void;
  close: () => void;
}

export function hostHere(root: Node): TreeHost {
  const model = new TreeModel(root);
  let tell: (answer: Answer) => void = () => undefined;
  return {
    send: (request) => {
      if (request.ask === "read") tell({ tell: "read", total: model.total });
      else tell(answer(model, request));
    },
    listen: (listener) => {
      tell = listener;
    },
    close: () => undefined,
  };
}

export function hostInWorker(): TreeHost {
  const worker = startWorker(workerUrl, "tree");
  return {
    send: (request) => worker.postMessage(request),
    listen: (listener) => {
      worker.onmessage = (event: MessageEvent<Answer>) => listener(event.data);
      worker.onerror = (event) => listener({ tell: "problem", message: event.message || "the worker failed" });
    },
    close: () => worker.terminate(),
  };
}
