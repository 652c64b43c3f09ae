// The line above the columns: which session, whether it is live, and what concerns the whole page.

import { useState, type ReactElement } from "react";
import { NewSession, sessionTitle, withCurrent } from "../left/sessions";
import { layout } from "../state/layout";
import { go } from "../state/place";
import { preferences, type Theme } from "../state/preferences";
import { useStore } from "../state/store";
import { enterSession, signOut, workspace } from "../state/workspace";
import { addressOf, token } from "../api/client";
import { ago } from "../ui/format";
import {
  IconChevronDown,
  IconCode,
  IconKeyboard,
  IconMoon,
  IconPanelLeft,
  IconPanelRight,
  IconPlus,
  IconScreen,
  IconSearch,
  IconSignOut,
  IconSun,
  IconUser,
  type Icon,
} from "../ui/icons";
import { IconButton, Key, Menu } from "../ui/ui";
import { NARROW, useMedia } from "./columns";
import { Mark } from "./mark";
import { openHelp, openPalette } from "./overlay";
import "./header.css";

export const COMMAND_KEY = /Mac|iP(hone|ad)/.test(navigator.platform) ? "⌘" : "Ctrl";

export function Header(): ReactElement {
  const isNarrow = useMedia(NARROW);
  const { isLeftOpen, isCanvasOpen } = useStore(layout, (state) => state);
  return (
    <header className="shell-header">
      {!isNarrow && (
        <IconButton
          icon={IconPanelLeft}
          label={isLeftOpen ? "Hide the left column" : "Show the left column"}
          onClick={() => layout.set({ isLeftOpen: !isLeftOpen })}
        />
      )}
      <button type="button" className="shell-home" onClick={() => go({ kind: "home" })} aria-label="Resultant, home">
        <Mark />
        {!isNarrow && <span>Resultant</span>}
      </button>
      <SessionSwitcher />
      <Connection />
      <div className="shell-space" />
      <button type="button" className="shell-palette-button" onClick={openPalette}>
        <span className="ui-hidden">Command palette: </span>
        <IconSearch size={14} />
        {!isNarrow && (
          <>
            <span>Search or do anything</span>
            <span className="shell-palette-keys">
              <Key>{COMMAND_KEY}</Key> <Key>K</Key>
            </span>
          </>
        )}
      </button>
      <div className="shell-space" />
      <ThemeMenu />
      <UserMenu />
      {!isNarrow && (
        <IconButton
          icon={IconPanelRight}
          label={isCanvasOpen ? "Hide the canvas" : "Show the canvas"}
          isPressed={isCanvasOpen}
          onClick={() => layout.set({ isCanvasOpen: !isCanvasOpen })}
        />
      )}
    </header>
  );
}

function SessionSwitcher(): ReactElement {
  const { sessions, session } = useStore(workspace, ({ sessions, session, clients }) => ({
    sessions,
    session,
    clients,
  }));
  const [isNaming, setNaming] = useState(false);
  const all = withCurrent(sessions, session);
  const current = all.find((one) => one.id === session);
  return (
    <>
      <Menu
        label="Session"
        className="shell-session"
        groups={[
          all.slice(0, 30).map((one) => ({
            id: one.id,
            label: sessionTitle(one),
            hint: ago(one.used_at),
            isChosen: one.id === session,
            onChoose: () => enterSession(one.id),
          })),
          [{ id: "new session", label: "New session…", icon: IconPlus, onChoose: () => setNaming(true) }],
        ]}
      >
        <span className="shell-session-name">{current ? sessionTitle(current) : session}</span>
        <IconChevronDown size={12} />
      </Menu>
      <NewSession isOpen={isNaming} onClose={() => setNaming(false)} />
    </>
  );
}

/** Says nothing for long while all is well. */
function Connection(): ReactElement {
  const connection = useStore(workspace, (state) => state.connection);
  const isLive = connection === "open";
  const words = { open: "live", connecting: "connecting", waiting: "reconnecting", over: "not connected" }[connection];
  return (
    <span
      className={`shell-connection shell-connection-${connection}`}
      role="status"
      data-tip={isLive ? "Events of this session arrive as they happen" : undefined}
    >
      <span className="shell-dot" />
      {words}
    </span>
  );
}

const THEMES: { id: Theme; label: string; icon: Icon }[] = [
  { id: "system", label: "As the system", icon: IconScreen },
  { id: "light", label: "Light", icon: IconSun },
  { id: "dark", label: "Dark", icon: IconMoon },
];

function ThemeMenu(): ReactElement {
  const theme = useStore(preferences, (state) => state.theme);
  const Picture = THEMES.find((one) => one.id === theme)?.icon ?? IconScreen;
  const items = THEMES.map((one) => ({
    ...one,
    isChosen: one.id === theme,
    onChoose: () => preferences.set({ theme: one.id }),
  }));
  return (
    <Menu label="Theme" groups={[items]}>
      <Picture />
    </Menu>
  );
}

function UserMenu(): ReactElement {
  const me = useStore(workspace, (state) => state.me);
  const canSignOut = useStore(workspace, (state) => state.settings.can_sign_out) && token.get() !== null;
  const opensItself = useStore(preferences, (state) => state.canvasOpensItself);
  const name = me?.email && me.email !== me.user ? `${me.user} (${me.email})` : (me?.user ?? "");
  return (
    <Menu
      label={`User ${name}`}
      header={
        <>
          Signed in as <strong>{name}</strong>
        </>
      }
      groups={[
        [
          { id: "keys", label: "Keyboard shortcuts", icon: IconKeyboard, hint: "?", onChoose: openHelp },
          {
            id: "docs",
            label: "API description",
            icon: IconCode,
            onChoose: () => window.open(addressOf("/api/docs"), "_blank", "noopener"),
          },
          {
            id: "auto",
            label: "Canvas opens by itself",
            isChosen: opensItself,
            onChoose: () => preferences.set({ canvasOpensItself: !opensItself }),
          },
        ],
        canSignOut ? [{ id: "leave", label: "Sign out", icon: IconSignOut, onChoose: () => void signOut() }] : [],
      ]}
    >
      <IconUser />
    </Menu>
  );
}
