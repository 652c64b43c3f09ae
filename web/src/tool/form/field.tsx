// One field: its label and texts, and the control that its shape asks for.

import { memo, useContext, type ReactElement, type ReactNode } from "react";
import { IconClose } from "../../ui/icons";
import { Badge, IconButton } from "../../ui/ui";
import { ArrayField } from "./array";
import { ChoiceField } from "./choice";
import { Form, idOf, useTroubles, type FieldProps } from "./context";
import { itemValue } from "./initial";
import { JsonField } from "./json-field";
import { ObjectField } from "./object";
import { BooleanField, ConstField, EnumField, NumberField, StringField } from "./scalars";
import { FORM_DEPTH_MAX, shapeOf, type Shape } from "./schema";

export interface ControlProps<K extends Shape["kind"]> extends FieldProps {
  shape: Extract<Shape, { kind: K }>;
  id: string;
  describedBy?: string;
  isInvalid: boolean;
}

export const Field = memo(function Field(props: FieldProps): ReactElement {
  const { root, prefix } = useContext(Form);
  const shape = shapeOf(props.schema, root);
  // A choice and what is chosen are at the same place: the latter says what is wrong, and has the place's id.
  const isChoice = shape.kind === "choice";
  const found = useTroubles(props.path);
  const troubles = isChoice ? [] : found;
  const id = idOf(prefix, props.path) + (isChoice ? ":choice" : "");
  const isGroup = shape.kind === "object" || shape.kind === "array" || shape.kind === "choice";
  const describedBy =
    [shape.description && `${id}:about`, troubles.length > 0 && `${id}:trouble`].filter(Boolean).join(" ") || undefined;
  const control = { ...props, shape, id, describedBy, isInvalid: troubles.length > 0 };
  const label = <FieldLabel {...props} shape={shape} id={id} isGroup={isGroup} />;
  const texts = (
    <>
      {shape.description && (
        <p id={`${id}:about`} className="form-about">
          {shape.description}
        </p>
      )}
    </>
  );
  const wrong = troubles.length > 0 && (
    <p id={`${id}:trouble`} className="form-trouble">
      {troubles.join("; ")}
    </p>
  );
  if (isGroup) {
    return (
      <div
        role="group"
        aria-labelledby={`${id}:label`}
        aria-describedby={describedBy}
        className="form-field form-group"
        id={id}
        tabIndex={-1}
      >
        {label}
        {texts}
        {wrong}
        <Control {...control} />
      </div>
    );
  }
  return (
    <div className="form-field">
      {label}
      <Control {...control} />
      {wrong}
      {texts}
    </div>
  );
});

function FieldLabel(props: FieldProps & { shape: Shape; id: string; isGroup: boolean }): ReactElement {
  const { shape, id, isGroup, name, isRequired, value, onChange, isItem } = props;
  const { root } = useContext(Form);
  const title = shape.title ?? name;
  const words: ReactNode = (
    <>
      {title}
      {isRequired && !isItem && (
        <span className="form-required" aria-hidden="true">
          *
        </span>
      )}
      {isRequired && !isItem && <span className="ui-hidden"> (required)</span>}
    </>
  );
  const canLeaveOut = !isRequired && !isItem && value !== undefined;
  const canBeNull = shape.isNullable && value?.kind !== "null";
  return (
    <div className="form-label-row">
      {isGroup ? (
        <span id={`${id}:label`} className="form-label">
          {words}
        </span>
      ) : (
        <label id={`${id}:label`} htmlFor={id} className="form-label">
          {words}
        </label>
      )}
      {shape.title && shape.title !== name && <code className="form-name">{name}</code>}
      {shape.isDeprecated && <Badge tone="wait">deprecated</Badge>}
      <span className="form-label-space" />
      {canBeNull && !isGroup && (
        <button type="button" className="form-small" onClick={() => onChange({ kind: "null" })}>
          null
        </button>
      )}
      {value === undefined && isGroup && (
        <button
          type="button"
          className="form-small"
          onClick={() => onChange(itemValue(props.schema, root))}
          aria-label={`Add ${title}`}
        >
          add
        </button>
      )}
      {canLeaveOut && (
        <IconButton
          icon={IconClose}
          isSmall
          label={`Leave out ${title}`}
          className="form-leave-out"
          onClick={() => onChange(undefined)}
        />
      )}
    </div>
  );
}

/** The control of a shape, unless the value is something else: then it is shown as the JSON that it is. */
function Control(props: ControlProps<Shape["kind"]>): ReactElement | null {
  const { shape, value, path } = props;
  if (value?.kind === "null" && (shape.isNullable || shape.kind === "null")) return <NullValue {...props} />;
  if (path.length > FORM_DEPTH_MAX) return <JsonField {...props} />;
  switch (shape.kind) {
    case "string":
      return isOneOf(value, "string") ? <StringField {...props} shape={shape} /> : <JsonField {...props} isOdd />;
    case "number":
      return isOneOf(value, "number", "string") ? (
        <NumberField {...props} shape={shape} />
      ) : (
        <JsonField {...props} isOdd />
      );
    case "boolean":
      return isOneOf(value, "boolean") ? <BooleanField {...props} shape={shape} /> : <JsonField {...props} isOdd />;
    case "enum":
      return <EnumField {...props} shape={shape} />;
    case "const":
      return <ConstField {...props} shape={shape} />;
    case "null":
      return <NullValue {...props} />;
    case "object":
      if (value === undefined) return null;
      return value.kind === "object" ? <ObjectField {...props} shape={shape} /> : <JsonField {...props} isOdd />;
    case "array":
      if (value === undefined) return null;
      return value.kind === "array" ? <ArrayField {...props} shape={shape} /> : <JsonField {...props} isOdd />;
    case "choice":
      if (value === undefined && !props.isRequired) return null;
      return <ChoiceField {...props} shape={shape} />;
    case "any":
      return <JsonField {...props} />;
  }
}

function isOneOf(value: FieldProps["value"], ...kinds: string[]): boolean {
  return value === undefined || kinds.includes(value.kind);
}

function NullValue({ id, shape, onChange, schema }: ControlProps<Shape["kind"]>): ReactElement {
  const { root } = useContext(Form);
  return (
    <div className="form-null" id={id} tabIndex={-1}>
      <code>null</code>
      {shape.kind !== "null" && (
        <button type="button" className="form-small" onClick={() => onChange(itemValue(schema, root))}>
          give a value
        </button>
      )}
    </div>
  );
}
