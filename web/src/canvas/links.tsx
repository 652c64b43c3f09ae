// Links to a file: make and copy one, see when each ends, take them back.

import { useCallback, useEffect, useId, useRef, useState, type ReactElement } from "react";
import { addressOf, api, part, type Schemas } from "../api/client";
import { copy, counted } from "../ui/format";
import { IconCheck, IconLink, IconTrash } from "../ui/icons";
import { placeBeside } from "../ui/place";
import { Button, IconButton, toastError } from "../ui/ui";
import { remaining } from "./remaining";

type Link = Schemas["Link"];

export function LinksButton({ fileKey, name }: { fileKey: string; name: string }): ReactElement {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const popover = box.current;
    if (!popover) return;
    const onToggle = (event: Event): void => {
      const isNow = (event as ToggleEvent).newState === "open";
      setOpen(isNow);
      if (isNow && button.current) placeBeside(popover, button.current.getBoundingClientRect());
    };
    popover.addEventListener("toggle", onToggle);
    return () => popover.removeEventListener("toggle", onToggle);
  }, []);
  return (
    <>
      <button
        ref={button}
        type="button"
        className="ui-icon-button ui-icon-button-small"
        aria-label="Link to this file"
        data-tip="Link to this file"
        aria-expanded={isOpen}
        aria-haspopup="dialog"
        popoverTarget={id}
      >
        <IconLink size={14} />
      </button>
      <div ref={box} id={id} popover="auto" role="dialog" aria-label={`Links to ${name}`} className="canvas-links">
        {isOpen && <Links fileKey={fileKey} />}
      </div>
    </>
  );
}

function Links({ fileKey }: { fileKey: string }): ReactElement {
  const [links, setLinks] = useState<Link[]>([]);
  const [copied, setCopied] = useState<string | undefined>(undefined);
  const now = useNow();
  const path = `/api/files/${part(fileKey)}/links`;
  const refresh = useCallback(async () => setLinks((await api.get<Schemas["LinkList"]>(path)).items), [path]);
  useEffect(() => void refresh().catch(toastError), [refresh]);
  const make = async (): Promise<void> => {
    const made = await api.send<Schemas["NewLinkInfo"]>("POST", path, { audience: "person" });
    await copy(new URL(made.url, addressOf("/")).href);
    setCopied(made.id);
    await refresh();
  };
  const revoke = async (link?: string): Promise<void> => {
    await api.send("DELETE", link ? `${path}/${part(link)}` : path);
    await refresh();
  };
  const valid = links.filter((link) => Date.parse(link.expires_at) > now);
  return (
    <>
      <p className="ui-quiet">Whoever has a link can download this file until it ends.</p>
      <Button kind="primary" icon={copied ? IconCheck : IconLink} onClick={() => void make().catch(toastError)}>
        {copied ? "Copied; make another" : "Copy a link"}
      </Button>
      {valid.length > 0 && (
        <ul className="canvas-link-list" aria-label="Valid links">
          {valid.map((link) => (
            <li key={link.id}>
              <span>
                {link.id === copied ? "Just copied" : link.audience === "tool" ? "For a tool" : "For a person"}
                <span className="ui-quiet">{link.uses > 0 ? ` · used ${counted(link.uses, "time")}` : " · not used"}</span>
              </span>
              <time className="canvas-countdown" dateTime={link.expires_at} aria-label={`ends in ${remaining(link.expires_at, now)}`}>
                {remaining(link.expires_at, now)}
              </time>
              <IconButton icon={IconTrash} label="Revoke this link" isSmall onClick={() => void revoke(link.id).catch(toastError)} />
            </li>
          ))}
        </ul>
      )}
      {valid.length > 1 && (
        <Button kind="danger" isSmall onClick={() => void revoke().catch(toastError)}>
          Revoke all {valid.length}
        </Button>
      )}
    </>
  );
}

/** The time, once a second. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
