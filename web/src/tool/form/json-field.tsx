// A value as plain JSON, where the schema says nothing of it or the value is not what it says.

import { useContext, useEffect, useState, type ReactElement } from "react";
import { isSame, JsonError, parse, print } from "../../json/json";
import { Form } from "./context";
import type { ControlProps } from "./field";
import { itemValue } from "./initial";
import type { Shape } from "./schema";

export function JsonField(props: ControlProps<Shape["kind"]> & { isOdd?: boolean }): ReactElement {
  const { value, onChange, id, describedBy, isOdd, schema, isRequired, isItem } = props;
  const { root } = useContext(Form);
  const [text, setText] = useState(() => (value ? print(value, 2) : ""));
  const [wrong, setWrong] = useState("");
  // Follows changes from elsewhere, and leaves what a person is typing alone.
  useEffect(() => {
    setText((typed) => {
      if (value === undefined) return typed.trim() === "" || wrong === "" ? "" : typed;
      try {
        return isSame(parse(typed), value) ? typed : print(value, 2);
      } catch {
        return wrong === "" ? print(value, 2) : typed;
      }
    });
  }, [value, wrong]);
  const onText = (next: string): void => {
    setText(next);
    if (next.trim() === "" && !isItem) {
      setWrong("");
      onChange(undefined);
      return;
    }
    try {
      onChange(parse(next));
      setWrong("");
    } catch (error) {
      setWrong(error instanceof JsonError ? `line ${error.line}: ${error.message}` : String(error));
    }
  };
  return (
    <div className="form-json">
      {isOdd && (
        <p className="form-trouble">
          This is not what the schema asks for.{" "}
          <button type="button" className="form-small" onClick={() => onChange(itemValue(schema, root))}>
            start over
          </button>
        </p>
      )}
      <textarea
        id={id}
        className="ui-input ui-mono"
        rows={Math.min(10, Math.max(1, text.split("\n").length))}
        spellCheck={false}
        value={text}
        placeholder={isRequired ? "JSON" : "JSON, or nothing"}
        aria-describedby={describedBy}
        aria-invalid={wrong !== "" || props.isInvalid || undefined}
        onChange={(event) => onText(event.target.value)}
      />
      {wrong && <p className="form-trouble">{wrong}</p>}
    </div>
  );
}
