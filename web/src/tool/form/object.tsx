// An object: its properties in the schema's order, then whatever else it has. Names that the schema does not
// know are shown too, so that nothing of a value is hidden by its form.

import { useContext, useState, type ReactElement } from "react";
import { member, withMember, type Member, type Node, type ObjectNode } from "../../json/json";
import { IconPlus, IconTrash } from "../../ui/icons";
import { Button, IconButton } from "../../ui/ui";
import { Form } from "./context";
import { Field, type ControlProps } from "./field";
import { itemValue } from "./initial";
import { ANY } from "./schema";

const EMPTY: ObjectNode = { kind: "object", members: [] };

export function ObjectField({ shape, value, onChange, path }: ControlProps<"object">): ReactElement {
  const object = value?.kind === "object" ? value : EMPTY;
  return (
    <div className={path.length > 0 ? "form-nested" : "form-top"}>
      {shape.properties.map((property) => (
        <Field
          key={property.name}
          schema={property.schema}
          name={property.name}
          path={[...path, property.name]}
          isRequired={property.isRequired}
          value={member(object, property.name)}
          onChange={(next) => onChange(withMember(object, property.name, next))}
        />
      ))}
      <Others shape={shape} object={object} onChange={onChange} path={path} />
    </div>
  );
}

interface OthersProps extends Pick<ControlProps<"object">, "shape" | "onChange" | "path"> {
  object: ObjectNode;
}

/** Key and value rows for what `additionalProperties` allows, and for what it does not. */
function Others({ shape, object, onChange, path }: OthersProps): ReactElement | null {
  const { root } = useContext(Form);
  const known = new Set(shape.properties.map((property) => property.name));
  const rows = object.members.map((pair, i) => ({ pair, i })).filter(({ pair }) => !known.has(pair[0]));
  const schema = shape.additional === null || shape.additional === "any" ? ANY : shape.additional;
  // Most schemas allow more without meaning it; only one that describes the rest gets a button for it.
  const canAdd =
    (shape.additional !== null && shape.additional !== "any") || (shape.additional === "any" && known.size === 0);
  if (rows.length === 0 && !canAdd) return null;
  const change = (i: number, next: Member | null): void => {
    const members = object.members.map((pair, at) => (at === i ? next : pair)).filter((pair) => pair !== null);
    onChange({ kind: "object", members });
  };
  const add = (): void => {
    let name = "key";
    for (let i = 2; member(object, name); i++) name = `key${i}`;
    onChange(withMember(object, name, itemValue(schema, root)));
  };
  return (
    <div className="form-others">
      {rows.map(({ pair, i }) => (
        <OtherRow
          key={i}
          pair={pair}
          schema={schema}
          path={path}
          isTaken={(name) => name !== pair[0] && member(object, name) !== undefined}
          onChange={(next) => change(i, next)}
        />
      ))}
      {canAdd && (
        <Button kind="quiet" icon={IconPlus} isSmall onClick={add}>
          Add an entry
        </Button>
      )}
    </div>
  );
}

interface OtherRowProps {
  pair: Member;
  schema: Node;
  path: (string | number)[];
  isTaken: (name: string) => boolean;
  onChange: (next: Member | null) => void;
}

function OtherRow({ pair: [name, value], schema, path, isTaken, onChange }: OtherRowProps): ReactElement {
  const [draft, setDraft] = useState<string | null>(null);
  const isBad = draft !== null && isTaken(draft);
  const commit = (): void => {
    if (draft !== null && !isBad) onChange([draft, value]);
    setDraft(null);
  };
  return (
    <div className="form-entry">
      <div className="form-entry-key">
        <input
          className="ui-input"
          aria-label="Name of the entry"
          aria-invalid={isBad || undefined}
          spellCheck={false}
          value={draft ?? name}
          onChange={(event) => setDraft(event.target.value)}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) commit();
          }}
        />
        {isBad && <p className="form-trouble">is there already</p>}
      </div>
      <Field
        schema={schema}
        name={name}
        path={[...path, name]}
        isRequired
        isItem
        value={value}
        onChange={(next) => onChange(next ? [name, next] : null)}
      />
      <IconButton icon={IconTrash} isSmall label={`Remove ${name}`} onClick={() => onChange(null)} />
    </div>
  );
}
