// Gives a file to the person. Small ones go through the page; a large one through a link that is good
// for one download, so that it does not have to fit into memory.
import { addressOf, api, part } from "../api/client";
import type { ViewedFile } from "./kind";
import { MIB } from "./limits";
import type { Source } from "./source";

const THROUGH_PAGE_BYTES_MAX = 32 * MIB;
const LINK_SECONDS = 300;

export async function saveFile(file: ViewedFile, source: Source): Promise<void> {
  if (file.key === "" || source.size <= THROUGH_PAGE_BYTES_MAX) {
    saveBlob(await source.blob(), file.name);
    return;
  }
  const body = { audience: "person", seconds: LINK_SECONDS, single_use: true };
  const link = await api.send<{ url: string }>("POST", `/api/files/${part(file.key)}/links`, body);
  follow(new URL(link.url, addressOf("/")).href, file.name);
}

export function saveBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  follow(address, name);
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

function follow(address: string, name: string): void {
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = name;
  anchor.rel = "noopener noreferrer";
  anchor.click();
}
