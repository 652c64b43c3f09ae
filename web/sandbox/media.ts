// Sound and film with the browser's own controls. Nothing plays before the person asks.

import { type Line, type Show, element } from "./shell";

export async function showMedia({ blob, name, mime, viewer }: Show, line: Line): Promise<void> {
  const kind = viewer === "audio" ? "audio" : "video";
  const player = element(kind, { controls: "", preload: "metadata", "aria-label": name });
  const isMedia = mime.startsWith("audio/") || mime.startsWith("video/");
  player.src = URL.createObjectURL(isMedia ? new Blob([blob], { type: mime }) : blob);
  document.body.replaceChildren(element("div", { class: "media" }, player));
  await new Promise<void>((resolve, reject) => {
    player.onloadedmetadata = () => resolve();
    player.onerror = () => reject(new Error("This browser cannot play it."));
  });
  const size = player instanceof HTMLVideoElement && player.videoWidth > 0;
  const facts = size ? { width: player.videoWidth, height: player.videoHeight } : {};
  const seconds = Number.isFinite(player.duration) ? { seconds: player.duration } : {};
  line.send({ kind: "shown", facts: { ...facts, ...seconds } });
}
