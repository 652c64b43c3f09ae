// Holds a tree's model away from the page, which stays free while megabytes are read.
import { TreeModel } from "./model";
import { answer } from "./answer";
import type { Answer, Request } from "./answer";

let model: TreeModel | undefined;

self.onmessage = (event: MessageEvent<Request>): void => {
  const told = handle(event.data);
  if (told) (self as unknown as { postMessage: (answer: Answer) => void }).postMessage(told);
};

function handle(request: Request): Answer | undefined {
  if (request.ask === "read") {
    const made = TreeModel.ofText(request.text);
    if ("problem" in made) return { tell: "problem", message: made.problem };
    model = made;
    return { tell: "read", total: made.total };
  }
  return model ? answer(model, request) : undefined;
}
