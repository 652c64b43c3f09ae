// Exactly what a model reads of the result, for each kind of client, and what that saved.
import { lazy, Suspense, useMemo, useState, type ReactElement } from "react";
import type { Call } from "../state/calls";
import { useStore } from "../state/store";
import { workspace } from "../state/workspace";
import { bytes, copy, counted, number } from "../ui/format";
import { IconCopy } from "../ui/icons";
import { Badge, Button, ErrorNote, IconButton, Spinner, toast, toastError } from "../ui/ui";
import { isTooLong } from "../viewers/code/broken-lines";
import { Shown } from "../viewers/frame";
import { percent } from "./header";
import { loadRenderings, useLoaded } from "./load";
import { readSeen, savedShare, type Lane, type Seen } from "./view";

const LongText = lazy(async () => ({ default: (await import("../viewers/code/long-text")).LongText }));
const Editor = lazy(async () => ({ default: (await import("../viewers/code/editor")).Editor }));

/** Beyond this a plain text slows the page down, and an editor draws only what is seen. */
const PLAIN_CHARS_MAX = 30_000;

export function ModelTab({ call }: { call: Call }): ReactElement {
  const clients = useStore(workspace, (state) => state.settings.clients);
  const [profile, setProfile] = useState("");
  const loaded = useLoaded(`${call.id} ${profile}`, () => loadRenderings(call.id, profile));
  const seen = useMemo(() => (loaded.state === "ready" ? readSeen(loaded.value) : undefined), [loaded]);
  return (
    <div className="result-model">
      {clients.length > 0 && (
        <label className="result-choice">
          <span>Client</span>
          <select className="ui-input" value={profile} onChange={(event) => setProfile(event.target.value)}>
            <option value="">Any client</option>
            {clients.map((client) => <option key={client.name} value={client.name}>{client.title ?? client.name}</option>)}
          </select>
        </label>
      )}
      {loaded.state === "loading" && <Spinner label="Loading what the model sees" />}
      {loaded.state === "failed" && <ErrorNote error={loaded.error}><Button isSmall onClick={loaded.again}>Try again</Button></ErrorNote>}
      {seen && <SeenView seen={seen} before={seen.tokensBefore ?? call.tokensIn} />}
    </div>
  );
}

function SeenView({ seen, before }: { seen: Seen; before: number | undefined }): ReactElement {
  const saved = savedShare(before, seen.tokens);
  return (
    <>
      <div className="result-saved">
        <p>
          <strong>{counted(seen.tokens, "token")}</strong> <span className="ui-quiet">({bytes(seen.bytes)})</span>
          {before !== undefined && before > 0 && <span className="ui-quiet"> of {number(before)} that the server's answer would have been</span>}
          {saved !== undefined && <> · <span className="result-saved-share">{percent(saved)} saved</span></>}
        </p>
        {before !== undefined && before > 0 && <SavedBar share={Math.min(1, seen.tokens / before)} />}
      </div>
      {!seen.isComplete && (
        <p className="ui-quiet">
          This is a digest. {seen.offloaded.length > 0 ? <>The model can read the rest in {seen.offloaded.slice(0, 5).map((name, at) => <span key={name}>{at > 0 && ", "}<code>{name}</code></span>)}.</> : "The rest is in files."}
        </p>
      )}
      {seen.lanes.map((lane, at) => <LaneView key={at} lane={lane} isOnly={seen.lanes.length === 1} />)}
      {seen.lanes.length === 0 && <p className="ui-quiet">This client's model sees nothing of it.</p>}
    </>
  );
}

function SavedBar({ share }: { share: number }): ReactElement {
  return (
    <div className="result-bar" role="img" aria-label={`The model reads ${percent(share)} of it`}>
      <div className="result-bar-used" style={{ width: `${Math.max(0.6, share * 100)}%` }} />
    </div>
  );
}

function LaneView({ lane, isOnly }: { lane: Lane; isOnly: boolean }): ReactElement {
  const copyText = (): void => void copy(lane.text).then(() => toast("Copied"), toastError);
  const name = lane.lane === "structured" ? "structuredContent" : lane.lane;
  return (
    <section className="result-lane">
      <div className="result-lane-head">
        <h3>{isOnly ? "What the model reads" : name}</h3>
        {isOnly && <Badge>{name}</Badge>}
        <span className="ui-quiet">{counted(lane.tokens, "token")}</span>
        <span className="viewer-gap" />
        <IconButton icon={IconCopy} label={`Copy ${name}`} isSmall onClick={copyText} />
      </div>
      {lane.text.length <= PLAIN_CHARS_MAX ? (
        <pre className="result-text" tabIndex={0} aria-label={name}><Shown text={lane.text} /></pre>
      ) : (
        <div className="result-text-box result-raw-box">
          <Suspense fallback={<Spinner />}>
            {isTooLong(lane.text) ? <LongText text={lane.text} label={name} /> : <Editor text={lane.text} label={name} language="" isWrapped />}
          </Suspense>
        </div>
      )}
    </section>
  );
}
