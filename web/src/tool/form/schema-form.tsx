// A form for a schema. The value is the only truth: fields show it and give the next one.

import { useId, useMemo, useState, type ReactElement } from "react";
import { type Node } from "../../json/json";
import { Form } from "./context";
import { ObjectField } from "./object";
import { JsonField } from "./json-field";
import { Field } from "./field";
import { shapeOf } from "./schema";
import { validate } from "./validate";
import "./form.css";

export interface SchemaFormProps {
  schema: Node;
  value: Node;
  onChange: (value: Node) => void;
  areTroublesShown: boolean;
}

export function SchemaForm({ schema, value, onChange, areTroublesShown }: SchemaFormProps): ReactElement {
  const prefix = useId();
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const troubles = useMemo(() => validate(value, schema), [value, schema]);
  const shape = useMemo(() => shapeOf(schema, schema), [schema]);
  const context = useMemo(
    () => ({
      root: schema,
      prefix,
      troubles,
      areTroublesShown,
      touched,
      touch: (path: string) => setTouched((before) => (before.has(path) ? before : new Set([...before, path]))),
    }),
    [schema, prefix, troubles, areTroublesShown, touched],
  );
  const props = {
    schema,
    value,
    path: [],
    name: "Arguments",
    isRequired: true,
    isItem: true,
    onChange: (next: Node | undefined) => onChange(next ?? { kind: "object", members: [] }),
  };
  const control = { ...props, id: prefix, isInvalid: false };
  const isEmpty =
    shape.kind === "object" &&
    shape.properties.length === 0 &&
    (shape.additional === null || shape.additional === "any") &&
    value.kind === "object" &&
    value.members.length === 0;
  return (
    <Form value={context}>
      {isEmpty ? (
        <p className="form-none">This tool takes no arguments.</p>
      ) : shape.kind === "object" ? (
        value.kind === "object" ? (
          <ObjectField {...control} shape={shape} />
        ) : (
          <JsonField {...control} shape={shape} isOdd />
        )
      ) : (
        <Field {...props} />
      )}
    </Form>
  );
}
