// A JSON file as a tree, read in a worker.
import { useEffect, useMemo, useState, type ReactElement } from "react";
import type { Node } from "../../json/json";
import { decode } from "../decode";
import { Failed, useFrame, Waiting } from "../frame";
import { SHOWN_BYTES_MAX } from "../limits";
import { useHead } from "../use-head";
import { hostHere, hostInWorker, type TreeHost } from "./host";
import { Tree } from "./tree";

export function TreeViewer(): ReactElement {
  const { file, source, fail } = useFrame();
  const head = useHead(source, SHOWN_BYTES_MAX.json);
  const [host, setHost] = useState<TreeHost | undefined>(undefined);
  const bytes = head.state === "read" ? head.bytes : undefined;

  useEffect(() => {
    if (!bytes) return;
    const made = hostInWorker();
    made.listen((told) => {
      if (told.tell === "problem") fail(`This is not JSON. ${told.message}.`);
      if (told.tell === "read") setHost(made);
    });
    made.send({ ask: "read", text: decode(bytes).text });
    return () => {
      setHost(undefined);
      made.close();
    };
  }, [bytes, fail]);

  if (head.state === "failed") return <Failed error={head.error} />;
  if (!host) return <Waiting label="Reading JSON" />;
  return <Tree host={host} label={file.name} />;
}

/** A value that is already here, in the flow of a page. */
export function JsonValue({ node, label }: { node: Node; label: string }): ReactElement {
  const host = useMemo(() => hostHere(node), [node]);
  return (
    <div className="tree-box">
      <Tree host={host} label={label} isInline />
    </div>
  );
}
