// A row of tabs after the ARIA pattern: arrow keys move and choose. The panel is the caller's, with `panelProps`.

import { useRef, type KeyboardEvent, type ReactElement, type ReactNode } from "react";

export interface Tab {
  id: string;
  label: ReactNode;
  /** For a label that is no plain text. */
  name?: string;
}

export interface TabsProps {
  label: string;
  tabs: Tab[];
  chosen: string;
  onChoose: (id: string) => void;
  /** Makes ids unique where several rows are on the page. */
  prefix: string;
  children?: ReactNode;
}

export function Tabs({ label, tabs, chosen, onChoose, prefix, children }: TabsProps): ReactElement {
  const row = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = tabs.findIndex((tab) => tab.id === chosen);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined || tabs.length === 0) return;
    const next = tabs[(to + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    onChoose(next.id);
    row.current?.querySelector<HTMLElement>(`#${CSS.escape(tabId(prefix, next.id))}`)?.focus();
  };
  return (
    <div className="ui-tabs">
      <div role="tablist" aria-label={label} ref={row} onKeyDown={onKeyDown} className="ui-tab-row">
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={tabId(prefix, tab.id)}
            aria-label={tab.name}
            aria-selected={tab.id === chosen}
            aria-controls={tab.id === chosen ? `${prefix}-panel` : undefined}
            tabIndex={tab.id === chosen ? 0 : -1}
            className="ui-tab"
            onClick={() => onChoose(tab.id)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      {children}
    </div>
  );
}

const tabId = (prefix: string, id: string): string => `${prefix}-tab-${id}`;

/** What the chosen tab's panel carries. */
export function panelProps(
  prefix: string,
  chosen: string,
): { role: "tabpanel"; id: string; "aria-labelledby": string } {
  return { role: "tabpanel", id: `${prefix}-panel`, "aria-labelledby": tabId(prefix, chosen) };
}
