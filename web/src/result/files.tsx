// The files of a result as cards; a click shows one on the canvas.
import { useCallback, type ReactElement } from "react";
import { api, part, type Schemas } from "../api/client";
import { useStore } from "../state/store";
import { showFile, workspace } from "../state/workspace";
import { bytes, counted } from "../ui/format";
import { IconAudio, IconBraces, IconCode, IconDiff, IconDownload, IconFile, IconImage, IconTable, IconVideo, type Icon } from "../ui/icons";
import { IconButton, toastError } from "../ui/ui";
import { Shown } from "../viewers/frame";
import { chooseKind, KIND_LABELS, type ViewerKind } from "../viewers/kind";
import { saveFile } from "../viewers/save";
import { sourceOfFile } from "../viewers/source";
import { useLoaded } from "./load";
import type { ViewFile } from "./view";

type FileInfo = Schemas["File"];

const CARDS_MAX = 60;
const ICONS: Partial<Record<ViewerKind, Icon>> = {
  image: IconImage, svg: IconImage, table: IconTable, code: IconCode, html: IconCode, json: IconBraces, audio: IconAudio, video: IconVideo, diff: IconDiff,
};

export interface FileCardsProps {
  files: ViewFile[];
  /** What the gateway keeps of them. */
  keys: readonly string[];
  primary: string | undefined;
}

export function FileCards({ files, keys, primary }: FileCardsProps): ReactElement | null {
  const infos = useInfos(keys);
  if (keys.length === 0 && files.length === 0) return null;
  const shown = infos.slice(0, CARDS_MAX);
  const missing = files.filter((file) => !infos.some((info) => info.name === file.name && info.sha256 === file.sha256));
  return (
    <section className="result-section">
      <h3>{counted(Math.max(keys.length, files.length), "file")}</h3>
      <ul className="result-cards">
        {shown.map((info) => <Card key={info.key} info={info} isPrimary={info.name === primary} />)}
      </ul>
      {infos.length > shown.length && <p className="ui-quiet">{counted(infos.length - shown.length, "more file")} under Files, on the left.</p>}
      {infos.length > 0 && missing.length > 0 && keys.length < files.length && (
        <p className="ui-quiet">Not kept any more: {missing.slice(0, 10).map((file) => file.name).join(", ")}</p>
      )}
    </section>
  );
}

function Card({ info, isPrimary }: { info: FileInfo; isPrimary: boolean }): ReactElement {
  const kind = chooseKind(info);
  const Picture = ICONS[kind] ?? IconFile;
  const save = (): void => {
    const file = { key: info.key, name: info.name, mime: info.mime, size: info.size };
    saveFile(file, sourceOfFile(info.key, info.size)).catch((error: unknown) => toastError(error, "The download failed"));
  };
  return (
    <li className={isPrimary ? "result-card result-card-primary" : "result-card"}>
      <button type="button" className="result-card-open" onClick={() => showFile.emit(info)}>
        <span className="ui-hidden">Show on the canvas: </span>
        <span className="result-card-icon"><Picture size={18} /></span>
        <span className="result-card-text">
          <span className="result-card-name"><Shown text={info.name} /></span>
          <span className="result-card-about">
            {KIND_LABELS[kind]} · {bytes(info.size)}
            {info.description && <> · <Shown text={info.description} /></>}
          </span>
        </span>
      </button>
      <IconButton icon={IconDownload} label={`Download ${info.name}`} isSmall onClick={save} />
    </li>
  );
}

/** What is known of the files; those of another session are asked for. */
function useInfos(keys: readonly string[]): FileInfo[] {
  const pick = useCallback((state: { files: FileInfo[] }) => state.files.filter((file) => keys.includes(file.key)), [keys]);
  const known = useStore(workspace, pick);
  const missing = keys.filter((key) => !known.some((info) => info.key === key)).slice(0, CARDS_MAX);
  const asked = useLoaded(missing.length > 0 ? missing.join(" ") : undefined, () =>
    Promise.all(missing.map((key) => api.get<FileInfo>(`/api/files/${part(key)}/info`).catch(() => undefined))),
  );
  const all = [...known, ...(asked.state === "ready" ? asked.value.filter((info) => info !== undefined) : [])];
  return keys.flatMap((key) => all.find((info) => info.key === key) ?? []);
}
