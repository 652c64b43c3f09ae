// Controls for single values. A number is typed as text, so that its digits stay as they are; what is not a
// number yet is kept as the text that it is, and said to be wrong.

import { useContext, type ReactElement } from "react";
import { isSame, type Node } from "../../json/json";
import { Form, keyOf } from "./context";
import type { ControlProps } from "./field";
import { FileOffer, fileUse } from "./files";
import { labelOf } from "./schema";
import { NUMBER } from "./validate";

const RADIO_MAX = 4;

export function StringField(props: ControlProps<"string">): ReactElement {
  const { shape, value, onChange, id, describedBy, isInvalid, isRequired, path, name, isItem } = props;
  const { touch } = useContext(Form);
  const text = value?.kind === "string" ? value.value : "";
  const use = fileUse(path, name, shape.format);
  const set = (next: string): void =>
    onChange(next === "" && !isRequired && !isItem ? undefined : { kind: "string", value: next });
  const common = {
    id,
    className: "ui-input",
    value: text,
    "aria-describedby": describedBy,
    "aria-invalid": isInvalid || undefined,
    "aria-required": isRequired || undefined,
    spellCheck: false,
    placeholder: placeholder(props),
    onBlur: () => touch(keyOf(path)),
  };
  if (shape.isLong || text.includes("\n")) {
    return (
      <textarea
        {...common}
        rows={Math.min(12, Math.max(3, text.split("\n").length))}
        onChange={(event) => set(event.target.value)}
      />
    );
  }
  const type = inputType(shape.format, text);
  const input = (
    <input
      {...common}
      type={type}
      inputMode={shape.format === "email" ? "email" : shape.format === "uri" ? "url" : undefined}
      onChange={(event) => set(event.target.value)}
    />
  );
  if (shape.format === "date-time") {
    return (
      <div className="form-with-button">
        {input}
        <button type="button" className="form-small" onClick={() => set(new Date().toISOString())}>
          now
        </button>
      </div>
    );
  }
  if (use) return <FileOffer use={use} onPick={set} input={input} />;
  return input;
}

/** The browser's own picker, where it can hold what is there. */
function inputType(format: string | undefined, text: string): string {
  if (format === "date" && (text === "" || /^\d{4}-\d\d-\d\d$/.test(text))) return "date";
  if (format === "password") return "password";
  return "text";
}

function placeholder({ shape, value }: ControlProps<"string"> | ControlProps<"number">): string | undefined {
  if (value !== undefined) return value.kind === "string" && value.value === "" ? "empty text" : undefined;
  if (shape.default) return `${labelOf(shape.default)} by default`;
  const example = shape.examples[0];
  if (example && (example.kind === "string" || example.kind === "number")) return `for example ${labelOf(example)}`;
  return undefined;
}

export function NumberField(props: ControlProps<"number">): ReactElement {
  const { shape, value, onChange, id, describedBy, isInvalid, isRequired, path } = props;
  const { touch } = useContext(Form);
  const text = value?.kind === "number" ? value.text : value?.kind === "string" ? value.value : "";
  const set = (next: string): void => {
    const trimmed = next.trim();
    if (trimmed === "") onChange(undefined);
    else onChange(NUMBER.test(trimmed) ? { kind: "number", text: trimmed } : { kind: "string", value: trimmed });
  };
  const range = [shape.minimum && `from ${shape.minimum}`, shape.maximum && `to ${shape.maximum}`]
    .filter(Boolean)
    .join(" ");
  return (
    <div className="form-number">
      <input
        id={id}
        className="ui-input"
        type="text"
        inputMode={shape.isInteger ? "numeric" : "decimal"}
        autoComplete="off"
        value={text}
        placeholder={placeholder(props)}
        aria-describedby={describedBy}
        aria-invalid={isInvalid || undefined}
        aria-required={isRequired || undefined}
        onChange={(event) => set(event.target.value)}
        onBlur={() => touch(keyOf(path))}
        onKeyDown={(event) => {
          const step = event.key === "ArrowUp" ? 1n : event.key === "ArrowDown" ? -1n : null;
          if (step === null || !/^-?[0-9]{1,100}$/.test(text)) return;
          event.preventDefault();
          set(String(BigInt(text) + step));
        }}
      />
      {range && <span className="form-range">{range}</span>}
    </div>
  );
}

export function BooleanField({ value, onChange, id, describedBy, shape, path }: ControlProps<"boolean">): ReactElement {
  const { touch } = useContext(Form);
  const chosen = value?.kind === "boolean" ? value.value : undefined;
  const isDefault = shape.default?.kind === "boolean" ? shape.default.value : undefined;
  const segments = [true, false].map((each) => ({
    label: String(each),
    isChosen: chosen === each,
    isDefault: chosen === undefined && isDefault === each,
    choose: () => {
      touch(keyOf(path));
      onChange({ kind: "boolean", value: each });
    },
  }));
  return <Segments id={id} describedBy={describedBy} segments={segments} />;
}

interface Segment {
  label: string;
  tip?: string;
  isChosen: boolean;
  isDefault?: boolean;
  choose: () => void;
}

/** A few choices, side by side. */
function Segments({ id, describedBy, segments }: { id: string; describedBy?: string; segments: Segment[] }): ReactElement {
  return (
    <div
      className="form-segments"
      role="radiogroup"
      aria-labelledby={`${id}:label`}
      aria-describedby={describedBy}
      id={id}
      tabIndex={-1}
    >
      {segments.map(({ label, tip, isChosen, isDefault, choose }, at) => (
        <label key={at} className={`form-segment ${isDefault ? "form-segment-default" : ""}`} data-tip={tip}>
          <input type="radio" className="form-segment-input" name={id} checked={isChosen} onChange={choose} />
          {label}
        </label>
      ))}
    </div>
  );
}

export function EnumField({
  shape,
  value,
  onChange,
  id,
  describedBy,
  isInvalid,
  isRequired,
  isItem,
  path,
}: ControlProps<"enum">): ReactElement {
  const { touch } = useContext(Form);
  const at = value === undefined ? -1 : shape.options.findIndex((option) => isSame(option.value, value));
  const isOdd = value !== undefined && at < 0;
  if (
    shape.options.length <= RADIO_MAX &&
    !isOdd &&
    !isItem &&
    shape.options.every((option) => option.label.length <= 18)
  ) {
    const segments = shape.options.map((option, i) => ({
      label: option.label,
      tip: option.description,
      isChosen: i === at,
      choose: () => {
        touch(keyOf(path));
        onChange(option.value);
      },
    }));
    return <Segments id={id} describedBy={describedBy} segments={segments} />;
  }
  const byDefault = shape.default ? ` (${labelOf(shape.default)} by default)` : "";
  return (
    <select
      id={id}
      className="ui-input"
      value={isOdd ? "odd" : String(at)}
      aria-describedby={describedBy}
      aria-invalid={isInvalid || undefined}
      aria-required={isRequired || undefined}
      onBlur={() => touch(keyOf(path))}
      onChange={(event) => onChange(shape.options[Number(event.target.value)]?.value)}
    >
      {(!isRequired || at < 0) && <option value="-1">{isRequired ? "Choose…" : `Left out${byDefault}`}</option>}
      {isOdd && <option value="odd">{labelOf(value)} (not among the choices)</option>}
      {shape.options.map((option, i) => (
        <option key={i} value={i}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

export function ConstField({ shape, value, onChange, id, isRequired }: ControlProps<"const">): ReactElement {
  const isSet = value !== undefined && isSame(value, shape.value);
  if (isRequired && isSet) return <code id={id}>{labelOf(shape.value)}</code>;
  const toggle = (): void => onChange(isSet ? undefined : (shape.value satisfies Node));
  return (
    <label className="form-check">
      <input id={id} type="checkbox" checked={isSet} onChange={toggle} />
      <code>{labelOf(shape.value)}</code>
    </label>
  );
}
