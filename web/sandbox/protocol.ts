// What the page and the shells on the sandbox origin say to each other. The first message carries a port, and
// all else goes over it: nobody who is framed deeper can speak on it. The page imports this for its types.

/** Shell to page, by `postMessage`: it listens. Says nothing else, so that anybody may hear it. */
export interface Ready {
  type: "resultant/ready";
}

/** Page to shell, once, with a `MessagePort`. */
export interface Hello {
  type: "resultant/show";
}

export type StageViewer = "image" | "svg" | "pdf" | "html" | "audio" | "video";
export type Theme = "light" | "dark";

/** Page to shell, over the port. */
export type ToShell =
  | { kind: "show"; viewer: StageViewer; name: string; mime: string; blob: Blob; theme: Theme }
  | { kind: "theme"; theme: Theme };

/** What a shell found out about what it shows, for the line of facts. */
export interface Facts {
  width?: number;
  height?: number;
  pages?: number;
  seconds?: number;
  /** What was taken out, in words for a person. */
  removed?: string;
}

/** Shell to page, over the port. */
export type FromShell =
  | { kind: "shown"; facts: Facts }
  | { kind: "failed"; message: string }
  | { kind: "state"; page?: number; pages?: number; zoom?: number }
  | { kind: "key"; key: string; ctrlKey: boolean; metaKey: boolean; shiftKey: boolean };
