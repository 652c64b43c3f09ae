// Short messages that go by themselves, and a voice for screen readers. Errors stay until they are closed.

import { useEffect, type ReactElement } from "react";
import { Problem } from "../api/client";
import { createStore, useStore } from "../state/store";
import { Button, IconButton } from "./button";
import { IconCheck, IconClose, IconInfo, IconWarning } from "./icons";

const STAY_MS = 5000;
const TOASTS_MAX = 4;

export interface Toast {
  id: number;
  kind: "info" | "good" | "bad";
  text: string;
  detail?: string;
  action?: { label: string; onChoose: () => void };
}

const store = createStore<{ toasts: Toast[]; said: string }>({ toasts: [], said: "" });
let count = 0;

export function toast(text: string, more: Partial<Omit<Toast, "id" | "text">> = {}): void {
  count += 1;
  const made: Toast = { kind: "info", ...more, id: count, text };
  store.set(({ toasts }) => ({ toasts: [...toasts, made].slice(-TOASTS_MAX) }));
}

/** Tells a person about an error, with the hint that came with it. */
export function toastError(error: unknown, what?: string): void {
  if (error instanceof DOMException && error.name === "AbortError") return;
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof Problem ? error.hint : undefined;
  toast(what ?? message, {
    kind: "bad",
    detail: [what ? message : undefined, hint].filter(Boolean).join(" ") || undefined,
  });
}

/** Says something to a screen reader without showing it. */
export function announce(text: string): void {
  store.set({ said: text });
}

export function Toasts(): ReactElement {
  const { toasts, said } = useStore(store, (state) => state);
  return (
    <>
      <div className="ui-hidden" role="status" aria-live="polite">
        {said}
      </div>
      <div className="ui-toasts" role="region" aria-label="Messages">
        {toasts.map((one) => (
          <ToastCard key={one.id} toast={one} />
        ))}
      </div>
    </>
  );
}

function ToastCard({ toast: one }: { toast: Toast }): ReactElement {
  const close = (): void => store.set(({ toasts }) => ({ toasts: toasts.filter((other) => other.id !== one.id) }));
  useEffect(() => {
    if (one.kind === "bad") return;
    const timer = setTimeout(close, STAY_MS);
    return () => clearTimeout(timer);
  }, [one.id]);
  const Picture = { info: IconInfo, good: IconCheck, bad: IconWarning }[one.kind];
  return (
    <div className={`ui-toast ui-toast-${one.kind}`} role={one.kind === "bad" ? "alert" : "status"}>
      <Picture />
      <div className="ui-toast-text">
        <p>{one.text}</p>
        {one.detail && <p className="ui-quiet">{one.detail}</p>}
      </div>
      {one.action && (
        <Button
          isSmall
          onClick={() => {
            close();
            one.action?.onChoose();
          }}
        >
          {one.action.label}
        </Button>
      )}
      <IconButton icon={IconClose} label="Close this message" isSmall onClick={close} />
    </div>
  );
}
