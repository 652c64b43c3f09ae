// What was odd about a result: each note with its rule, its place and what was left out.
import { useMemo, type ReactElement } from "react";
import { member, print } from "../json/json";
import { IconCheck } from "../ui/icons";
import { Badge, EmptyState, Spinner } from "../ui/ui";
import { Shown } from "../viewers/frame";
import { loadRenderings, useLoaded } from "./load";
import { RULES } from "./rules";
import { readNotes, readRendered, type Note } from "./view";

const LEFT_OUT_CHARS = 400;

export function NotesTab({ notes, callId }: { notes: Note[] | undefined; callId: string }): ReactElement {
  // The record has the notes; the rendering adds what was left out.
  const isWanted = notes !== undefined && notes.length > 0;
  const loaded = useLoaded(isWanted ? callId : undefined, () => loadRenderings(callId, ""));
  const full = useMemo(() => (loaded.state === "ready" ? readNotes(member(readRendered(member(loaded.value, "view")).json, "notes")) : []), [loaded]);
  if (!notes) return <Spinner label="Loading the notes" />;
  if (notes.length === 0) return <EmptyState icon={IconCheck} title="Nothing odd">The result was as the contract has it; nothing was repaired, left out or moved.</EmptyState>;
  const shown = full.length >= notes.length ? full : notes;
  return (
    <ol className="result-notes">
      {shown.map((note, at) => <NoteRow key={at} note={note} />)}
    </ol>
  );
}

function NoteRow({ note }: { note: Note }): ReactElement {
  const rule = RULES.get(note.rule);
  return (
    <li className="result-note">
      <div className="result-note-head">
        <Badge tone={note.weight === "remark" ? "plain" : "wait"}>{note.rule || "note"}</Badge>
        <p className="result-note-text"><Shown text={note.message} /></p>
      </div>
      <div className="result-note-about">
        {note.place !== "" && <p>At <code><Shown text={note.place} /></code></p>}
        {note.leftOut && <p>Was <code><Shown text={print(note.leftOut).slice(0, LEFT_OUT_CHARS)} /></code></p>}
        {rule && <p className="ui-quiet"><strong>{rule.title}.</strong> {rule.text}</p>}
      </div>
    </li>
  );
}
