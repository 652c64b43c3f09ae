// A list: items can be added, removed and moved. A list of a few fixed values is a row of check boxes.

import { useContext, useRef, type ReactElement } from "react";
import { isSame, type ArrayNode, type Node } from "../../json/json";
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from "../../ui/icons";
import { Button, IconButton } from "../../ui/ui";
import { Form } from "./context";
import { Field, type ControlProps } from "./field";
import { itemValue } from "./initial";
import { shapeOf, type Shape } from "./schema";

const CHECKS_MAX = 30;
const SHOWN_MAX = 200;

export function ArrayField(props: ControlProps<"array">): ReactElement {
  const { shape, value, onChange, path } = props;
  const { root } = useContext(Form);
  const keys = useKeys(value?.kind === "array" ? value.items.length : 0);
  const items = value?.kind === "array" ? value.items : [];
  const itemShape = shapeOf(shape.items, root);
  if (
    itemShape.kind === "enum" &&
    shape.isUnique &&
    shape.prefix.length === 0 &&
    itemShape.options.length <= CHECKS_MAX
  ) {
    return <Checks {...props} options={itemShape.options} items={items} />;
  }
  const set = (next: Node[]): void => onChange({ kind: "array", items: next });
  const move = (from: number, to: number): void => {
    const next = [...items];
    const [moved] = next.splice(from, 1);
    if (moved) next.splice(to, 0, moved);
    keys.move(from, to);
    set(next);
  };
  const isFull =
    (shape.maxItems !== undefined && items.length >= shape.maxItems) ||
    (!shape.isOpen && items.length >= shape.prefix.length);
  return (
    <div className="form-nested">
      <ol className="form-items">
        {items.slice(0, SHOWN_MAX).map((item, i) => (
          <li key={keys.of(i)} className="form-item">
            <Field
              schema={shape.prefix[i] ?? shape.items}
              name={String(i + 1)}
              path={[...path, i]}
              isRequired
              isItem
              value={item}
              onChange={(next) => set(items.map((each, at) => (at === i ? (next ?? { kind: "null" }) : each)))}
            />
            <span className="form-item-tools">
              <IconButton
                icon={IconArrowUp}
                isSmall
                label={`Move item ${i + 1} up`}
                disabled={i === 0}
                onClick={() => move(i, i - 1)}
              />
              <IconButton
                icon={IconArrowDown}
                isSmall
                label={`Move item ${i + 1} down`}
                disabled={i === items.length - 1}
                onClick={() => move(i, i + 1)}
              />
              <IconButton
                icon={IconTrash}
                isSmall
                label={`Remove item ${i + 1}`}
                onClick={() => {
                  keys.remove(i);
                  set(items.filter((_, at) => at !== i));
                }}
              />
            </span>
          </li>
        ))}
      </ol>
      {items.length > SHOWN_MAX && <p className="form-about">{items.length - SHOWN_MAX} more items are in the JSON.</p>}
      <Button
        kind="quiet"
        icon={IconPlus}
        isSmall
        disabled={isFull}
        onClick={() => set([...items, itemValue(shape.prefix[items.length] ?? shape.items, root)])}
      >
        Add an item
      </Button>
    </div>
  );
}

/** Keys that go with the items when these move, so that the focus goes with them too. */
function useKeys(length: number): {
  of: (i: number) => number;
  move: (from: number, to: number) => void;
  remove: (i: number) => void;
} {
  const keys = useRef<number[]>([]);
  const next = useRef(0);
  while (keys.current.length < length) keys.current.push(next.current++);
  keys.current.length = length;
  return {
    of: (i) => keys.current[i] ?? i,
    move: (from, to) => {
      const [moved] = keys.current.splice(from, 1);
      if (moved !== undefined) keys.current.splice(to, 0, moved);
    },
    remove: (i) => void keys.current.splice(i, 1),
  };
}

type Options = Extract<Shape, { kind: "enum" }>["options"];

function Checks({
  id,
  options,
  items,
  onChange,
}: ControlProps<"array"> & { options: Options; items: ArrayNode["items"] }): ReactElement {
  const toggle = (value: Node, isOn: boolean): void => {
    const rest = items.filter((item) => !isSame(item, value));
    onChange({ kind: "array", items: isOn ? [...rest, value] : rest });
  };
  return (
    <div className="form-checks" id={id}>
      {options.map((option, i) => (
        <label key={i} className="form-check">
          <input
            type="checkbox"
            checked={items.some((item) => isSame(item, option.value))}
            onChange={(event) => toggle(option.value, event.target.checked)}
          />
          {option.label}
        </label>
      ))}
    </div>
  );
}
