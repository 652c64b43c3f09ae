// What else can be done with arguments: save them under a name, share them by link, start over.

import { useState, type FormEvent, type ReactElement } from "react";
import { parse, print } from "../json/json";
import { writeAddress } from "../shell/address";
import { draftOf, setDraft, type Draft } from "../state/drafts";
import { forget, save, saved } from "../state/saved";
import { useStore } from "../state/store";
import type { Tool } from "../state/tool";
import { copy } from "../ui/format";
import { IconClose, IconLink, IconPlus, IconRefresh, IconStar } from "../ui/icons";
import { Button, Dialog, IconButton, Menu, toast, toastError } from "../ui/ui";
import { initialArguments } from "./form/initial";

const LINK_BYTES_MAX = 64 * 1024;

export function ToolActions({ tool, draft }: { tool: Tool; draft: Draft }): ReactElement {
  const [isNaming, setNaming] = useState(false);
  const list = useStore(saved, (state) =>
    state.saved.filter((one) => one.server === tool.server && one.tool === tool.name),
  );
  const [isTidying, setTidying] = useState(false);
  const share = async (): Promise<void> => {
    const address = writeAddress({ kind: "tool", server: tool.server, tool: tool.name, args: print(draft.node) });
    if (address.length > LINK_BYTES_MAX) {
      toast("These arguments are too long for a link", { kind: "bad" });
      return;
    }
    await copy(location.href.split("#")[0] + address);
    toast("Link copied", { kind: "good", detail: "It opens this tool with these arguments; nothing is run." });
  };
  return (
    <>
      <Menu
        label="Saved arguments"
        groups={[
          list.map((one) => ({
            id: one.id,
            label: one.name,
            icon: IconStar,
            onChoose: () => setDraft(tool.id, draftOf(parse(one.args))),
          })),
          [
            {
              id: "save",
              label: "Save these arguments…",
              icon: IconPlus,
              isDisabled: draft.wrong !== "",
              onChoose: () => setNaming(true),
            },
            ...(list.length > 0
              ? [{ id: "tidy", label: "Remove saved ones…", icon: IconClose, onChoose: () => setTidying(true) }]
              : []),
          ],
        ]}
      >
        <IconStar />
      </Menu>
      <IconButton
        icon={IconLink}
        label="Copy a link to this call"
        disabled={draft.wrong !== ""}
        onClick={() => void share().catch(toastError)}
      />
      <IconButton
        icon={IconRefresh}
        label="Start over with the defaults"
        onClick={() => setDraft(tool.id, draftOf(initialArguments(tool.inputSchema)))}
      />
      <SaveDialog isOpen={isNaming} onClose={() => setNaming(false)} tool={tool} draft={draft} />
      <Dialog title="Saved arguments" isOpen={isTidying} onClose={() => setTidying(false)}>
        <ul className="tool-saved">
          {list.map((one) => (
            <li key={one.id}>
              <span>{one.name}</span>
              <IconButton icon={IconClose} isSmall label={`Remove ${one.name}`} onClick={() => forget(one.id)} />
            </li>
          ))}
        </ul>
      </Dialog>
    </>
  );
}

function SaveDialog({
  isOpen,
  onClose,
  tool,
  draft,
}: {
  isOpen: boolean;
  onClose: () => void;
  tool: Tool;
  draft: Draft;
}): ReactElement {
  const [name, setName] = useState("");
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    save({ server: tool.server, tool: tool.name, name: name.trim(), args: print(draft.node) });
    toast(`Saved as ${name.trim()}`, { kind: "good" });
    setName("");
    onClose();
  };
  return (
    <Dialog title="Save these arguments" isOpen={isOpen} onClose={onClose}>
      <form onSubmit={onSubmit} className="tool-save">
        <label htmlFor="save-name">Name</label>
        <input
          id="save-name"
          className="ui-input"
          required
          maxLength={100}
          autoFocus
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <p className="ui-quiet">They are kept in this browser.</p>
        <div className="ui-dialog-actions">
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button kind="primary" type="submit" disabled={name.trim() === ""}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
