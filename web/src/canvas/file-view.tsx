// A file on the canvas: its tools, what is known of it, its viewer, and its versions against each other.

import { lazy, Suspense, useEffect, useMemo, useState, type ReactElement } from "react";
import { learnVersions, showVersion, versionOfFile, type FileTab, type FileVersion } from "../state/canvas";
import { go } from "../state/place";
import { useStore } from "../state/store";
import { workspace } from "../state/workspace";
import { writeAddress } from "../shell/address";
import { bytes, clock, copy } from "../ui/format";
import { IconClock, IconClose, IconDiff, IconDownload, IconInfo, IconPopOut } from "../ui/icons";
import { Badge, Button, IconButton, Menu, toast, toastError, type MenuItem } from "../ui/ui";
import { isTextual, naturalKind } from "../viewers/kind";
import { saveFile } from "../viewers/save";
import { sourceOfFile, type Source } from "../viewers/source";
import { Viewer } from "../viewers/viewer";
import { LinksButton } from "./links";
import { change } from "./live";
import { KeepButton, MoveButton, Toolbar } from "./tools";

const DiffView = lazy(async () => ({ default: (await import("../viewers/diff/compare")).DiffView }));

export function FileView({ tab, steps }: { tab: FileTab; steps: ReactElement }): ReactElement {
  const files = useStore(workspace, (state) => state.files);
  const [hasFacts, setFacts] = useState(false);
  const [comparedKey, setCompared] = useState<string | undefined>(undefined);
  const shown = tab.versions[tab.shown];
  useEffect(() => {
    const known = files.filter((file) => file.name === tab.title).map(versionOfFile).reverse();
    if (known.length > 0) change((state) => learnVersions(state, tab.id, known));
  }, [files, tab.id, tab.title]);
  useEffect(() => setCompared(undefined), [shown?.key]);
  const source = useSource(shown);
  if (!shown || !source) return <p className="ui-quiet">This file is gone.</p>;
  const compared = tab.versions.find((each) => each.key === comparedKey && each.key !== shown.key);
  return (
    <>
      <Toolbar label={`Tools for ${shown.name}`}>
        {steps}
        <Versions tab={tab} compare={setCompared} />
        <span className="canvas-gap" />
        <FileTools file={shown} source={source} hasFacts={hasFacts} setFacts={setFacts} />
        <KeepButton tab={tab} />
        <MoveButton tab={tab} />
      </Toolbar>
      {hasFacts && <FileFacts file={shown} />}
      <div className="canvas-content">
        {compared ? (
          <Compared before={compared} after={shown} tab={tab} onClose={() => setCompared(undefined)} />
        ) : (
          <Viewer file={shown} source={source} {...(tab.hint ? { hint: tab.hint } : {})} />
        )}
      </div>
    </>
  );
}

function useSource(file: FileVersion | undefined): Source | undefined {
  const key = file?.key;
  const size = file?.size ?? 0;
  return useMemo(() => (key === undefined ? undefined : sourceOfFile(key, size)), [key, size]);
}

interface FileToolsProps {
  file: FileVersion;
  source: Source;
  hasFacts: boolean;
  setFacts: (hasFacts: boolean) => void;
  /** Whether it stands in a window of its own already. */
  isAlone?: boolean;
}

export function FileTools({ file, source, hasFacts, setFacts, isAlone }: FileToolsProps): ReactElement {
  const popOut = (): void => {
    const { session } = workspace.get();
    // The new window gets this one's token because it is opened by it; it is our own page.
    window.open(writeAddress({ kind: "file", key: file.key }, session), "_blank", "popup,width=1000,height=800");
  };
  return (
    <>
      <IconButton icon={IconInfo} label="About this file" isSmall isPressed={hasFacts} onClick={() => setFacts(!hasFacts)} />
      <LinksButton key={file.key} fileKey={file.key} name={file.name} />
      <IconButton icon={IconDownload} label="Download" isSmall onClick={() => void saveFile(file, source).catch(toastError)} />
      {!isAlone && <IconButton icon={IconPopOut} label="Open in a window" isSmall onClick={popOut} />}
    </>
  );
}

export function FileFacts({ file }: { file: FileVersion }): ReactElement {
  const sha256 = file.sha256;
  return (
    <dl className="canvas-facts">
      {file.description && <Fact name="What">{file.description}</Fact>}
      <Fact name="Type">{file.mime}</Fact>
      <Fact name="Size">{`${bytes(file.size)}${file.size < 1024 ? "" : ` (${file.size.toLocaleString("en")} bytes)`}`}</Fact>
      {file.createdAt && <Fact name="Kept">{clock(file.createdAt)}</Fact>}
      {sha256 && (
        <Fact name="SHA-256">
          <button
            type="button"
            className="canvas-digest"
            data-tip="Copy"
            aria-label={`Copy the digest ${sha256}`}
            onClick={() => void copy(sha256).then(() => toast("The digest is copied."), toastError)}
          >
            {sha256}
          </button>
        </Fact>
      )}
      <Fact name="From">{file.call ? <CallLink call={file.call} /> : "an upload"}</Fact>
    </dl>
  );
}

function CallLink({ call }: { call: string }): ReactElement {
  return (
    <a
      href={writeAddress({ kind: "call", id: call })}
      onClick={(event) => {
        event.preventDefault();
        go({ kind: "call", id: call });
      }}
    >
      the call {call}
    </a>
  );
}

function Fact({ name, children }: { name: string; children: ReactElement | string }): ReactElement {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function nameOf(tab: FileTab, at: number): string {
  const made = tab.versions[at]?.createdAt;
  const place = at === tab.versions.length - 1 ? "newest" : `version ${at + 1}`;
  return made ? `${place}, ${clock(made)}` : place;
}

function Versions({ tab, compare }: { tab: FileTab; compare: (key: string) => void }): ReactElement | null {
  if (tab.versions.length < 2) return null;
  const newestFirst = tab.versions.map((version, at) => ({ version, at })).reverse();
  const choose: MenuItem[] = newestFirst.map(({ version, at }) => ({
    id: version.key,
    label: nameOf(tab, at),
    hint: bytes(version.size),
    isChosen: at === tab.shown,
    onChoose: () => change((state) => showVersion(state, tab.id, at)),
  }));
  const shown = tab.versions[tab.shown];
  const kind = shown && naturalKind(shown.mime, shown.name);
  const comparable = kind !== undefined && isTextual(kind);
  const others: MenuItem[] = comparable
    ? newestFirst
        .filter(({ at }) => at !== tab.shown)
        .map(({ version, at }) => ({
          id: `compare ${version.key}`,
          label: `Compare with ${nameOf(tab, at)}`,
          icon: IconDiff,
          onChoose: () => compare(version.key),
        }))
    : [];
  const isOld = tab.shown < tab.versions.length - 1;
  return (
    <>
      <Menu label={`Versions of ${tab.title}`} groups={[choose, others]} className="canvas-versions">
        <IconClock size={14} />
        {tab.shown + 1} of {tab.versions.length}
      </Menu>
      {isOld && <Badge tone="wait">older version</Badge>}
    </>
  );
}

interface ComparedProps {
  before: FileVersion;
  after: FileVersion;
  tab: FileTab;
  onClose: () => void;
}

function Compared({ before, after, tab, onClose }: ComparedProps): ReactElement {
  // The older one is on the left, whichever the person started from.
  const places = [tab.versions.indexOf(before), tab.versions.indexOf(after)].sort((a, b) => a - b);
  const [left, right] = places.map((at) => tab.versions[at]!);
  const leftSource = useSource(left);
  const rightSource = useSource(right);
  return (
    <div className="canvas-compared">
      <div className="canvas-compared-bar">
        <span>Two versions of {tab.title}</span>
        <Button isSmall kind="quiet" icon={IconClose} onClick={onClose}>End comparison</Button>
      </div>
      <div className="canvas-compared-body">
        <Suspense fallback={null}>
          {leftSource && rightSource && (
            <DiffView
              before={leftSource}
              after={rightSource}
              name={tab.title}
              mime={after.mime}
              beforeLabel={nameOf(tab, places[0]!)}
              afterLabel={nameOf(tab, places[1]!)}
            />
          )}
        </Suspense>
      </div>
    </div>
  );
}
