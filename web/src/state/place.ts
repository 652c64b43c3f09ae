// Where in the page a person is; kept in step with the fragment of the address.

import { readAddress, writeAddress, type Place } from "../shell/address";
import { createStore } from "./store";

export const place = createStore<{ place: Place }>({ place: { kind: "home" } });

export function go(to: Place, how: "push" | "replace" = "push"): void {
  const text = writeAddress(to);
  if (how === "replace") history.replaceState(null, "", text);
  else if (location.hash !== text) history.pushState(null, "", text);
  place.set({ place: to });
}

/** Follows the back and forward buttons, and links. */
export function startPlace(onSession: (session: string) => void): void {
  window.addEventListener("popstate", () => {
    const address = readAddress(location.hash);
    if (address.code !== undefined) return location.reload();
    if (address.session) onSession(address.session);
    place.set({ place: address.place });
  });
}
