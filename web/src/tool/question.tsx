// A question that a server asks during a call: a form from its schema, or an address to visit.

import { useMemo, useState, type ReactElement } from "react";
import { member, type Node } from "../json/json";
import type { Question } from "../state/call";
import { answer, type Call } from "../state/calls";
import { IconExternal, IconQuestion } from "../ui/icons";
import { Button, toastError } from "../ui/ui";
import { initialArguments } from "./form/initial";
import { SchemaForm } from "./form/schema-form";
import { validate } from "./form/validate";

const NO_FIELDS: Node = { kind: "object", members: [] };

export function QuestionCard({ call, question }: { call: Call; question: Question }): ReactElement {
  const schema = member(question.params, "requestedSchema") ?? NO_FIELDS;
  const address = webAddress(text(question.params, "url"));
  const [value, setValue] = useState<Node>(() => initialArguments(schema));
  const [areTroublesShown, showTroubles] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const troubles = useMemo(() => validate(value, schema), [value, schema]);
  const hasFields = schema !== NO_FIELDS && member(schema, "properties")?.kind === "object";
  const say = async (action: "accept" | "decline" | "cancel"): Promise<void> => {
    if (action === "accept" && troubles.length > 0) return showTroubles(true);
    setBusy(true);
    try {
      await answer(call, question.question, action, action === "accept" && !address ? value : undefined);
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      className="tool-question"
      aria-label={`Question of ${call.server}`}
      onSubmit={(event) => {
        event.preventDefault();
        void say("accept");
      }}
    >
      <header>
        <IconQuestion />
        <strong>{call.server} asks</strong>
      </header>
      <p className="tool-question-text">{text(question.params, "message") ?? "The server wants to know something."}</p>
      {hasFields && (
        <SchemaForm schema={schema} value={value} onChange={setValue} areTroublesShown={areTroublesShown} />
      )}
      {address && (
        <p>
          <a href={address.href} target="_blank" rel="noopener noreferrer">
            {address.host}
            <IconExternal size={12} className="tool-inline-icon" />
          </a>{" "}
          <span className="ui-quiet tool-address">{address.href}</span>
        </p>
      )}
      <div className="tool-question-actions">
        <Button kind="primary" type="submit" disabled={isBusy}>
          {address ? "I have done it" : "Answer"}
        </Button>
        <Button disabled={isBusy} onClick={() => void say("decline")}>
          Decline
        </Button>
        <Button kind="quiet" disabled={isBusy} onClick={() => void say("cancel")}>
          Cancel the question
        </Button>
      </div>
    </form>
  );
}

function text(node: Node, name: string): string | undefined {
  const value = member(node, name);
  return value?.kind === "string" ? value.value : undefined;
}

/** Only addresses of the web are ever linked. */
function webAddress(written: string | undefined): URL | null {
  if (written === undefined || !URL.canParse(written)) return null;
  const address = new URL(written);
  return address.protocol === "https:" || address.protocol === "http:" ? address : null;
}
