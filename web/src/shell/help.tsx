// The help on shortcuts.

import type { ReactElement } from "react";
import { Dialog, Key } from "../ui/ui";
import { COMMAND_KEY } from "./header";
import { SHORTCUTS } from "./keys";
import { closeOverlay } from "./overlay";

export function Help(): ReactElement {
  return (
    <Dialog title="Keyboard shortcuts" isOpen onClose={closeOverlay}>
      <dl className="shell-help">
        {SHORTCUTS.map((shortcut) => (
          <div key={shortcut.label}>
            <dt>{shortcut.label}</dt>
            <dd>
              {shortcut.keys.map((key) => (
                <Key key={key}>{key === "Mod" ? COMMAND_KEY : key}</Key>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
