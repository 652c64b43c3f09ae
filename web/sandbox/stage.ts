// The stage: shows one file of strangers in a frame whose origin is nobody's. Each kind has a module of its own,
// loaded when needed.

import "./stage.css";
import { type Line, type Show, listen } from "./shell";

listen(async (message: Show, line: Line) => {
  switch (message.viewer) {
    case "image":
    case "svg":
      return (await import("./image")).showImage(message, line);
    case "pdf":
      return (await import("./pdf")).showPdf(message, line);
    case "html":
      return (await import("./html")).showHtml(message, line);
    case "audio":
    case "video":
      return (await import("./media")).showMedia(message, line);
  }
});
