// Alternatives: which one is meant is chosen, and its fields follow. A value that fits the new one is kept.

import { useContext, useState, type ReactElement } from "react";
import { Form } from "./context";
import { Field, type ControlProps } from "./field";
import { itemValue } from "./initial";
import { branchOf, validate } from "./validate";

export function ChoiceField({
  shape,
  value,
  onChange,
  id,
  path,
  name,
  isRequired,
}: ControlProps<"choice">): ReactElement {
  const { root } = useContext(Form);
  const [picked, setPicked] = useState<number | null>(null);
  // What a person picked counts while the value does not clearly belong to another one.
  const fitting = branchOf(value, shape, root);
  const isPickedFine = picked !== null && shape.branches[picked] !== undefined;
  const at = isPickedFine ? picked : fitting;
  const branch = shape.branches[at];
  const pick = (next: number): void => {
    setPicked(next);
    const chosen = shape.branches[next];
    if (chosen && (value === undefined || validate(value, chosen.schema, root).length > 0))
      onChange(itemValue(chosen.schema, root));
  };
  return (
    <div className="form-nested">
      <select
        className="ui-input form-choice"
        aria-label={`Form of ${shape.title ?? name}`}
        value={at}
        onChange={(event) => pick(Number(event.target.value))}
      >
        {shape.branches.map((each, i) => (
          <option key={i} value={i}>
            {each.label}
          </option>
        ))}
      </select>
      {branch && (
        <Field
          key={`${id}-${at}`}
          schema={branch.schema}
          name={branch.label}
          path={path}
          isRequired={isRequired}
          isItem
          value={value}
          onChange={onChange}
        />
      )}
    </div>
  );
}
