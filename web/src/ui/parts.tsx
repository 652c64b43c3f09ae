// Small parts without state: badges, spinners, bars, empty states, what went wrong, keys of the keyboard.

import type { ReactElement, ReactNode } from "react";
import { Problem } from "../api/client";
import { IconWarning, type Icon } from "./icons";

export type Tone = "plain" | "accent" | "good" | "bad" | "wait";

export function Badge({
  tone = "plain",
  children,
  title,
}: {
  tone?: Tone;
  children: ReactNode;
  title?: string;
}): ReactElement {
  return (
    <span className={`ui-badge ui-badge-${tone}`} data-tip={title}>
      {children}
    </span>
  );
}

export function Spinner({ label = "Loading", size = 16 }: { label?: string; size?: number }): ReactElement {
  return (
    <svg className="ui-spinner" width={size} height={size} viewBox="0 0 16 16" role="img" aria-label={label}>
      <circle cx="8" cy="8" r="6" fill="none" stroke="var(--line)" strokeWidth="2" />
      <path d="M8 2a6 6 0 0 1 6 6" fill="none" stroke="var(--accent)" strokeWidth="2" strokeLinecap="round" />
    </svg>
  );
}

/** How far something is; without a total it only says that it goes on. */
export function ProgressBar({ label, done, total }: { label: string; done?: number; total?: number }): ReactElement {
  const isKnown = done !== undefined && total !== undefined && total > 0;
  const share = isKnown ? Math.max(0, Math.min(1, done / total)) : 0;
  return (
    <div
      className={`ui-progress ${isKnown ? "" : "ui-progress-unknown"}`}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={isKnown ? Math.round(share * 100) : undefined}
    >
      <div className="ui-progress-bar" style={{ width: isKnown ? `${share * 100}%` : undefined }} />
    </div>
  );
}

export interface EmptyStateProps {
  icon?: Icon;
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
}

export function EmptyState({ icon: Picture, title, children, actions }: EmptyStateProps): ReactElement {
  return (
    <div className="ui-empty">
      {Picture && <Picture size={28} className="ui-empty-icon" />}
      <h3>{title}</h3>
      {children && <div className="ui-empty-text">{children}</div>}
      {actions && <div className="ui-empty-actions">{actions}</div>}
    </div>
  );
}

/** What went wrong, in the words of who said it, with what to try. */
export function ErrorNote({ error, children }: { error: unknown; children?: ReactNode }): ReactElement {
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof Problem ? error.hint : undefined;
  const title = error instanceof Problem && error.title !== message ? error.title : undefined;
  return (
    <div className="ui-error" role="alert">
      <IconWarning />
      <div>
        {title && <p className="ui-error-title">{title}</p>}
        <p className="ui-error-text">{message}</p>
        {hint && <p className="ui-quiet">{hint}</p>}
        {children}
      </div>
    </div>
  );
}

export function Key({ children }: { children: ReactNode }): ReactElement {
  return <kbd className="ui-key">{children}</kbd>;
}

/** Something a person types in a terminal. */
export function Command({ children }: { children: string }): ReactElement {
  return <code className="ui-command">{children}</code>;
}
