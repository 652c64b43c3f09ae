// The session's files by category. A name that was used several times is one line: its newest file.

import { useMemo, useRef, useState, type ReactElement } from "react";
import { useStore } from "../state/store";
import { upload, uploads, type Upload } from "../state/uploads";
import { deleteFile, showFile, workspace, type FileInfo } from "../state/workspace";
import { bytes, counted } from "../ui/format";
import {
  IconAudio,
  IconClose,
  IconCode,
  IconFile,
  IconImage,
  IconMore,
  IconPlay,
  IconTable,
  IconTrash,
  IconUpload,
  IconVideo,
  type Icon,
} from "../ui/icons";
import { moveInRows } from "../ui/rows";
import { Badge, Button, Confirm, EmptyState, IconButton, Menu, ProgressBar, toastError } from "../ui/ui";

const SHOWN_MAX = 400;
const CATEGORIES: { id: FileInfo["category"]; label: string; icon: Icon }[] = [
  { id: "image", label: "Images", icon: IconImage },
  { id: "document", label: "Documents", icon: IconFile },
  { id: "data", label: "Data", icon: IconTable },
  { id: "code", label: "Code", icon: IconCode },
  { id: "audio", label: "Audio", icon: IconAudio },
  { id: "video", label: "Video", icon: IconVideo },
  { id: "other", label: "Other", icon: IconMore },
];

export function iconOfCategory(category: FileInfo["category"]): Icon {
  return CATEGORIES.find((one) => one.id === category)?.icon ?? IconFile;
}

interface NamedFile {
  newest: FileInfo;
  keys: string[];
}

/** One entry for each name, with all its files, the newest first. */
export function byName(files: readonly FileInfo[]): NamedFile[] {
  const named = new Map<string, NamedFile>();
  for (const file of files) {
    const known = named.get(file.name);
    if (known) known.keys.push(file.key);
    else named.set(file.name, { newest: file, keys: [file.key] });
  }
  return [...named.values()];
}

export function Files(): ReactElement {
  const { files, hasFiles } = useStore(workspace, ({ files, hasFiles }) => ({ files, hasFiles }));
  const going = useStore(uploads, (state) => state.uploads);
  const [doomed, setDoomed] = useState<NamedFile | null>(null);
  const picker = useRef<HTMLInputElement>(null);
  const all = useMemo(() => byName(files), [files]);
  const shown = all.slice(0, SHOWN_MAX);
  const pick = (): void => picker.current?.click();
  return (
    <div className="left-files" onKeyDown={moveInRows}>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={(event) => {
          void upload([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
      <ul aria-label="Uploads">
        {going.map((one) => (
          <UploadRow key={one.id} upload={one} />
        ))}
      </ul>
      {CATEGORIES.map(({ id, label, icon: Picture }) => {
        const drawer = shown.filter(({ newest }) => newest.category === id);
        if (drawer.length === 0) return null;
        return (
          <section key={id} aria-label={label}>
            <h3 className="left-drawer">{label}</h3>
            <ul>
              {drawer.map((file) => (
                <FileRow key={file.newest.key} file={file} icon={Picture} onDelete={() => setDoomed(file)} />
              ))}
            </ul>
          </section>
        );
      })}
      {all.length > SHOWN_MAX && (
        <p className="left-note">
          The newest {SHOWN_MAX} of {counted(all.length, "file")} are listed.
        </p>
      )}
      {hasFiles && all.length === 0 && going.length === 0 ? (
        <EmptyState
          title="No files yet"
          actions={
            <Button icon={IconUpload} isSmall onClick={pick}>
              Upload
            </Button>
          }
        >
          Results leave their files here. Drop your own anywhere in this column, and tools can use them by name.
        </EmptyState>
      ) : (
        <Button kind="quiet" icon={IconUpload} isSmall className="left-upload" onClick={pick}>
          Upload files
        </Button>
      )}
      <Confirm
        isOpen={doomed !== null}
        title="Delete this file?"
        action="Delete"
        text={doomed && <DoomedText file={doomed} />}
        onClose={() => setDoomed(null)}
        onConfirm={() => {
          if (doomed) Promise.all(doomed.keys.map(deleteFile)).catch((error: unknown) => toastError(error));
        }}
      />
    </div>
  );
}

function DoomedText({ file }: { file: NamedFile }): ReactElement {
  const many = file.keys.length > 1 ? `, in all ${file.keys.length} versions,` : "";
  return (
    <>
      <strong>{file.newest.name}</strong>
      {many} and its links are gone for good then.
    </>
  );
}

function FileRow({
  file: { newest, keys },
  icon: Picture,
  onDelete,
}: {
  file: NamedFile;
  icon: Icon;
  onDelete: () => void;
}): ReactElement {
  return (
    <li className="left-row">
      <button
        type="button"
        data-row
        className="left-row-main"
        onClick={() => showFile.emit(newest)}
        data-tip={newest.description ?? undefined}
      >
        <Picture size={14} />
        <span className="left-row-name">{newest.name}</span>
        {keys.length > 1 && <Badge title={`${keys.length} versions`}>×{keys.length}</Badge>}
        <span className="left-row-fact">{bytes(newest.size)}</span>
      </button>
      <Menu
        label={`More for ${newest.name}`}
        className="ui-menu-button left-row-more"
        groups={[
          [{ id: "show", label: "Show on the canvas", icon: IconPlay, onChoose: () => showFile.emit(newest) }],
          [{ id: "delete", label: "Delete…", icon: IconTrash, isDanger: true, onChoose: onDelete }],
        ]}
      >
        <IconMore size={14} />
      </Menu>
    </li>
  );
}

function UploadRow({ upload: one }: { upload: Upload }): ReactElement {
  return (
    <li className="left-upload-row">
      <span className="left-row-name">{one.name}</span>
      <span className="left-row-fact">
        {one.sent >= one.total ? "done" : `${bytes(one.sent)} of ${bytes(one.total)}`}
      </span>
      <IconButton icon={IconClose} label={`Stop uploading ${one.name}`} isSmall onClick={one.cancel} />
      <ProgressBar label={`Uploading ${one.name}`} done={one.sent} total={Math.max(one.total, 1)} />
    </li>
  );
}
