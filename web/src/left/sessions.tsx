// The sessions: those of this page, of MCP clients, and the default one.

import { useState, type FormEvent, type ReactElement } from "react";
import { useStore } from "../state/store";
import { createSession, deleteSession, enterSession, workspace, type SessionInfo } from "../state/workspace";
import { ago, bytes } from "../ui/format";
import { IconPlus, IconTrash } from "../ui/icons";
import { moveInRows } from "../ui/rows";
import { Button, Confirm, Dialog, IconButton, toastError } from "../ui/ui";

const KINDS: Record<SessionInfo["kind"], string> = {
  api: "Made here or by a program",
  mcp: "Of an MCP client",
  default: "Always there",
};

export function sessionTitle(session: Pick<SessionInfo, "id" | "title" | "kind">): string {
  if (session.title) return session.title;
  const client = workspace.get().clients[session.id];
  if (client) return `${client} ${session.id.slice(-4)}`;
  if (session.kind === "default") return "Default session";
  return `${session.kind === "mcp" ? "MCP client" : "Session"} ${session.id.slice(-6)}`;
}

/** The sessions with the one that is open, which need not have been written down yet. */
export function withCurrent(sessions: readonly SessionInfo[], current: string): SessionInfo[] {
  if (sessions.some((one) => one.id === current)) return [...sessions];
  const now = new Date().toISOString();
  const kind = current === "default" ? "default" : "api";
  return [{ id: current, title: "", kind, created_at: now, used_at: now, bytes: 0 }, ...sessions];
}

export function Sessions(): ReactElement {
  const { sessions, session } = useStore(workspace, ({ sessions, session, clients }) => ({
    sessions,
    session,
    clients,
  }));
  const [doomed, setDoomed] = useState<SessionInfo | null>(null);
  const [isNaming, setNaming] = useState(false);
  return (
    <div className="left-sessions" onKeyDown={moveInRows}>
      <ul aria-label="Sessions">
        {withCurrent(sessions, session).map((one) => (
          <li key={one.id} className="left-row">
            <button
              type="button"
              data-row
              className="left-row-main left-session"
              aria-current={one.id === session ? "true" : undefined}
              data-tip={`${KINDS[one.kind]}, ${bytes(one.bytes)} of files`}
              onClick={() => enterSession(one.id)}
            >
              <span className="left-row-name">{sessionTitle(one)}</span>
              {one.kind === "mcp" && <span className="ui-hidden">, of an MCP client</span>}
              <span className="left-row-fact">{ago(one.used_at)}</span>
            </button>
            <IconButton
              icon={IconTrash}
              isSmall
              className="left-row-more"
              label={`Delete ${sessionTitle(one)}`}
              onClick={() => setDoomed(one)}
            />
          </li>
        ))}
      </ul>
      <Button kind="quiet" icon={IconPlus} isSmall className="left-upload" onClick={() => setNaming(true)}>
        New session
      </Button>
      <NewSession isOpen={isNaming} onClose={() => setNaming(false)} />
      <Confirm
        isOpen={doomed !== null}
        title="Delete this session?"
        action="Delete"
        text={
          doomed && (
            <>
              The files, links and dashboards of <strong>{sessionTitle(doomed)}</strong> go with it, and its running
              calls are cancelled.
            </>
          )
        }
        onClose={() => setDoomed(null)}
        onConfirm={() => {
          if (doomed) deleteSession(doomed.id).catch((error: unknown) => toastError(error));
        }}
      />
    </div>
  );
}

export function NewSession({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }): ReactElement {
  const [title, setTitle] = useState("");
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    createSession(title.trim()).catch((error: unknown) => toastError(error));
    setTitle("");
    onClose();
  };
  return (
    <Dialog title="New session" isOpen={isOpen} onClose={onClose}>
      <form onSubmit={onSubmit} className="left-new-session">
        <p className="ui-quiet">A session has its own files, calls and dashboards.</p>
        <label htmlFor="session-title">Name</label>
        <input
          id="session-title"
          className="ui-input"
          maxLength={200}
          placeholder="May be left empty"
          autoFocus
          value={title}
          onChange={(event) => setTitle(event.target.value)}
        />
        <div className="ui-dialog-actions">
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button kind="primary" type="submit">
            Make it
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
