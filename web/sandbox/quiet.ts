// What is done to a stranger's page before it runs. The header forbids it every request that was not declared, but
// browsers know more ways to reach a network that no policy covers yet: WebRTC, hints to connect early, links,
// and frames that would have all of it again. A script that runs before the page's first one takes them away.
// One thing is left: where a script sets `location`, Chromium opens a connection before it asks the policy, and
// closes it without a request when the policy says no.

import { preludeOf, withoutParsedRoots } from "./prelude";

const OTHER_FRAMES = "frame, frameset, object, embed, fencedframe, portal";
const FRAMES = `iframe, ${OTHER_FRAMES}`;

/**
 * Frames that the policy for frames does not see: their pages come from the app itself. An empty one is nobody's
 * window, which the app cannot reach into, until it is led somewhere.
 */
const OWN_FRAMES = `iframe[srcdoc], iframe[src]:not([src=""], [src="about:blank" i], [src^="https://" i]), ${OTHER_FRAMES}`;

/** Hints that a browser follows without asking a policy. Others (`preload`, `icon`) are asked about. */
const HINTS =
  "link[rel~=preconnect i], link[rel~=dns-prefetch i], link[rel~=prefetch i], link[rel~=prerender i], " +
  "script[type=speculationrules i]";

/** A page is only to be seen: what it does not need for that is not even tried. */
const FORBIDDEN_IN_PAGE = `${FRAMES}, base, meta[http-equiv], link:not([rel=stylesheet]), script[type=speculationrules i]`;

/** HTML that a person runs. It is also cleaned as text, which a browser reads ahead of the first script. */
export function quietPage(html: string): string {
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const element of page.querySelectorAll(FORBIDDEN_IN_PAGE)) element.remove();
  const whole = document.createElement("div");
  whole.append(page.documentElement);
  return behind(preludeOf({ forbidden: FORBIDDEN_IN_PAGE, stopsLinks: "always" }), whole.getHTML());
}

/**
 * An MCP App, whose text stays as it is. Where its resource declares origins for frames it has those of other
 * hosts, which the policy asks about; in one that it writes itself, all would be there again that was taken from it.
 */
export function quietApp(html: string, hasFrames: boolean): string {
  const forbidden = `${hasFrames ? OWN_FRAMES : FRAMES}, ${HINTS}`;
  return behind(preludeOf({ forbidden, stopsLinks: "unhandled" }), html);
}

/** In a `srcdoc` a page without a doctype is in standards mode too, so one that comes later changes nothing. */
function behind(prelude: string, html: string): string {
  return `<!doctype html>${prelude}${withoutParsedRoots(html)}`;
}
