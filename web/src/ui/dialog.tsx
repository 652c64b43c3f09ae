// A modal dialog on the browser's own element, which keeps the focus inside and gives it back.

import { useEffect, useId, useRef, type ReactElement, type ReactNode } from "react";
import { Button, IconButton } from "./button";
import { IconClose } from "./icons";

export interface DialogProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
  actions?: ReactNode;
  className?: string;
  /** For a dialog whose first control is its title. */
  hasHiddenTitle?: boolean;
}

export function Dialog({
  title,
  isOpen,
  onClose,
  children,
  actions,
  className = "",
  hasHiddenTitle,
}: DialogProps): ReactElement | null {
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = box.current;
    if (!isOpen || !dialog || dialog.open) return;
    const before = document.activeElement;
    dialog.showModal();
    return () => {
      dialog.close();
      // By now the element may be out of the document, where closing gives no focus back.
      if (document.activeElement === document.body && before instanceof HTMLElement) before.focus();
    };
  }, [isOpen]);
  if (!isOpen) return null;
  return (
    <dialog
      ref={box}
      className={`ui-dialog ${className}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === box.current) onClose();
      }}
    >
      <div className="ui-dialog-inside">
        <header className={hasHiddenTitle ? "ui-hidden" : "ui-dialog-head"}>
          <h2 id={id}>{title}</h2>
          {!hasHiddenTitle && <IconButton icon={IconClose} label="Close" onClick={onClose} />}
        </header>
        {children}
        {actions && <footer className="ui-dialog-actions">{actions}</footer>}
      </div>
    </dialog>
  );
}

export interface ConfirmProps {
  title: string;
  text: ReactNode;
  action: string;
  isOpen: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before something that cannot be undone. */
export function Confirm({ title, text, action, isOpen, onConfirm, onClose }: ConfirmProps): ReactElement {
  const actions = (
    <>
      <Button kind="quiet" onClick={onClose}>
        Keep
      </Button>
      <Button
        kind="danger"
        onClick={() => {
          onClose();
          onConfirm();
        }}
      >
        {action}
      </Button>
    </>
  );
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose} actions={actions}>
      <p className="ui-dialog-text">{text}</p>
    </Dialog>
  );
}
