// The start: what the address brings, who is here, and then the page.

// The styles of small parts come first, so that rooms can say otherwise.
import "./ui/tokens.css";
import "./ui/ui.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { token } from "./api/client";
import { startHandover, takeOver } from "./api/handover";
import { App } from "./app";
import { readAddress, writeAddress } from "./shell/address";
import { startKeys } from "./shell/keys";
import { exchangeCode, takeReturn } from "./shell/sign-in";
import { startCalls } from "./state/calls";
import { place, startPlace } from "./state/place";
import { startPreferences } from "./state/preferences";
import { startSaved } from "./state/saved";
import { begin, enterSession, sessionAppeared, startPolling } from "./state/workspace";
import { toast } from "./ui/toast";

async function start(): Promise<void> {
  const brought = readAddress(location.hash);
  const before = brought.code === undefined ? null : readAddress(takeReturn());
  const address = { ...brought, place: before?.place ?? brought.place, session: before?.session ?? brought.session };
  // A code is of use once, and not to be seen in the address or its history.
  if (address.code !== undefined || address.hasFailed || address.session)
    history.replaceState(null, "", writeAddress(address.place));
  place.set({ place: address.place });
  let said = address.hasFailed ? "The sign-in did not work; whoever runs the gateway finds the reason in its log." : "";
  try {
    if (address.code === undefined && token.get() === null) await takeOver();
    else if (address.code !== undefined && !(await exchangeCode(address.code)))
      said = "This link was used already, or is too old.";
  } catch {
    said = "The gateway does not answer.";
  }
  await begin(said, address.session);
}

startPreferences();
startHandover();
startPlace(enterSession);
startPolling();
startCalls();
startSaved();
sessionAppeared.listen((session) =>
  toast("An MCP client has opened a session", { action: { label: "Watch", onChoose: () => enterSession(session) } }),
);
startKeys();
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
void start();
