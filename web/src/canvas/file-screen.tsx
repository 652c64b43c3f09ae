// A file alone in a window: what a popped-out tab becomes, and what `#/file/KEY` shows.

import { useEffect, useMemo, useState, type ReactElement } from "react";
import { api, part, type Schemas } from "../api/client";
import { versionOfFile, type FileVersion } from "../state/canvas";
import { bytes } from "../ui/format";
import { ErrorNote, Spinner } from "../ui/ui";
import { sourceOfFile } from "../viewers/source";
import { Viewer } from "../viewers/viewer";
import { FileFacts, FileTools } from "./file-view";
import { Toolbar } from "./tools";
import "./canvas.css";

export function FileScreen({ fileKey }: { fileKey: string }): ReactElement {
  const [file, setFile] = useState<FileVersion | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  useEffect(() => {
    const gone = new AbortController();
    setFile(undefined);
    setError(undefined);
    api.get<Schemas["File"]>(`/api/files/${part(fileKey)}/info`, { signal: gone.signal }).then(
      (info) => {
        document.title = `${info.name} · Resultant`;
        setFile(versionOfFile(info));
      },
      (problem: unknown) => gone.signal.aborted || setError(problem),
    );
    return () => gone.abort();
  }, [fileKey]);
  if (error) return <main className="canvas-screen canvas-screen-failed"><ErrorNote error={error} /></main>;
  if (!file) return <main className="canvas-screen canvas-waiting"><Spinner label="Looking for the file" /></main>;
  return <OneFile file={file} />;
}

function OneFile({ file }: { file: FileVersion }): ReactElement {
  const [hasFacts, setFacts] = useState(false);
  const source = useMemo(() => sourceOfFile(file.key, file.size), [file]);
  return (
    <main className="canvas-screen">
      <Toolbar label={`Tools for ${file.name}`}>
        <h1 className="canvas-screen-name">{file.name}</h1>
        <span className="ui-quiet">{bytes(file.size)}</span>
        <span className="canvas-gap" />
        <FileTools file={file} source={source} hasFacts={hasFacts} setFacts={setFacts} isAlone />
      </Toolbar>
      {hasFacts && <FileFacts file={file} />}
      <div className="canvas-content">
        <Viewer file={file} source={source} />
      </div>
    </main>
  );
}
