// Files of the session, offered where an argument names one: the gateway hands the tool an address for it.

import { useRef, type ReactElement } from "react";
import { iconOfCategory, byName } from "../../left/files";
import { useStore } from "../../state/store";
import { upload } from "../../state/uploads";
import { workspace } from "../../state/workspace";
import { useDrop } from "../../ui/drop";
import { bytes } from "../../ui/format";
import { IconFile, IconUpload } from "../../ui/icons";
import { Menu } from "../../ui/ui";
import type { Path } from "./context";

const OFFERED_MAX = 50;

/** How a file is named in an argument: by its name, or by an address where the schema asks for one. */
export type FileUse = "name" | "address";

export function fileUse(path: Path, name: string, format: string | undefined): FileUse | null {
  if (format === "uri" || format === "url" || format === "uri-reference") return "address";
  // An item of a list is known by the list's name.
  const called = typeof path.at(-1) === "number" ? String(path.at(-2) ?? name) : name;
  return /^(file|files|file_?name|file_?names)$/i.test(called) ? "name" : null;
}

export function reference(use: FileUse, name: string): string {
  return use === "name" ? name : `resultant://files/${encodeURIComponent(name)}`;
}

export function FileOffer({
  use,
  onPick,
  input,
}: {
  use: FileUse;
  onPick: (text: string) => void;
  input: ReactElement;
}): ReactElement {
  const files = useStore(workspace, (state) => state.files);
  const picker = useRef<HTMLInputElement>(null);
  const take = async (dropped: File[]): Promise<void> => {
    const [made] = await upload(dropped);
    if (made) onPick(reference(use, made.name));
  };
  const drop = useDrop((dropped) => void take(dropped));
  const offered = byName(files)
    .slice(0, OFFERED_MAX)
    .map(({ newest }) => ({
      id: newest.key,
      label: newest.name,
      hint: bytes(newest.size),
      icon: iconOfCategory(newest.category),
      onChoose: () => onPick(reference(use, newest.name)),
    }));
  return (
    <div className={`form-with-button ${drop.isOver ? "form-drop" : ""}`} {...drop.props}>
      {input}
      <input
        ref={picker}
        type="file"
        hidden
        aria-label="File to upload"
        onChange={(event) => {
          void take([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
      <Menu
        label="Files of the session"
        className="form-files"
        header={offered.length === 0 ? "This session has no files yet." : undefined}
        groups={[
          offered,
          [{ id: "upload a file", label: "Upload a file…", icon: IconUpload, onChoose: () => picker.current?.click() }],
        ]}
      >
        <IconFile size={14} />
      </Menu>
    </div>
  );
}
