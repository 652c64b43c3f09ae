// A button that opens a list of actions. The list is a popover, so nothing clips it and Escape closes it.

import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactElement, type ReactNode } from "react";
import { placeBeside } from "./place";
import { IconCheck, type Icon } from "./icons";

export interface MenuItem {
  id: string;
  label: ReactNode;
  icon?: Icon;
  /** For items of which one is chosen. */
  isChosen?: boolean;
  isDanger?: boolean;
  isDisabled?: boolean;
  hint?: string;
  onChoose: () => void;
}

export interface MenuProps {
  label: string;
  /** The inside of the button. */
  children: ReactNode;
  /** A list of groups, with a line between them. */
  groups: MenuItem[][];
  className?: string;
  header?: ReactNode;
}

export function Menu({ label, children, groups, className = "ui-menu-button", header }: MenuProps): ReactElement {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);

  useEffect(() => {
    const box = list.current;
    if (!box) return;
    const onToggle = (event: Event): void => {
      const isNow = (event as ToggleEvent).newState === "open";
      setOpen(isNow);
      if (isNow && button.current) {
        placeBeside(box, button.current.getBoundingClientRect());
        itemsOf(box)[0]?.focus();
      }
    };
    box.addEventListener("toggle", onToggle);
    return () => box.removeEventListener("toggle", onToggle);
  }, []);

  const onKeyDown = (event: KeyboardEvent): void => {
    const items = itemsOf(list.current);
    const at = items.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === "Tab") list.current?.hidePopover();
    if (to === undefined || items.length === 0) return;
    event.preventDefault();
    items[(to + items.length) % items.length]?.focus();
  };

  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        data-tip={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        popoverTarget={id}
      >
        <span className="ui-hidden">{label} </span>
        {children}
      </button>
      <div ref={list} id={id} popover="auto" className="ui-menu" onKeyDown={onKeyDown}>
        {header && <div className="ui-menu-header">{header}</div>}
        <div role="menu" aria-label={label}>
          {groups
            .filter((group) => group.length > 0)
            .map((group, i) => (
              <div key={i} role="group" className="ui-menu-group">
                {group.map((item) => (
                  <MenuRow key={item.id} item={item} close={() => list.current?.hidePopover()} />
                ))}
              </div>
            ))}
        </div>
      </div>
    </>
  );
}

function MenuRow({ item, close }: { item: MenuItem; close: () => void }): ReactElement {
  const Picture = item.isChosen ? IconCheck : item.icon;
  return (
    <button
      type="button"
      role={item.isChosen === undefined ? "menuitem" : "menuitemradio"}
      aria-checked={item.isChosen}
      disabled={item.isDisabled}
      tabIndex={-1}
      className={`ui-menu-item ${item.isDanger ? "ui-menu-danger" : ""}`}
      onClick={() => {
        close();
        item.onChoose();
      }}
    >
      <span className="ui-menu-icon">{Picture && <Picture />}</span>
      <span className="ui-menu-label">{item.label}</span>
      {item.hint && <span className="ui-menu-hint">{item.hint}</span>}
    </button>
  );
}

function itemsOf(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>(".ui-menu-item:not(:disabled)") ?? [])];
}
