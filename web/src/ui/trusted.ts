// The page's one Trusted Types policy. It makes script addresses of our own workers, and nothing else:
// no text of anybody ever becomes HTML or script here.

interface Policy {
  createScriptURL(address: string): string;
}

interface Factory {
  createPolicy(name: string, rules: { createScriptURL: (address: string) => string }): Policy;
}

const factory = (globalThis as { trustedTypes?: Factory }).trustedTypes;
const rules = { createScriptURL: own };
const policy: Policy = factory ? factory.createPolicy("resultant", rules) : rules;

/** A worker of this build: a script in our own folder of assets. */
export function startWorker(address: URL | string, name: string): Worker {
  return new Worker(policy.createScriptURL(String(address)), { type: "module", name });
}

function own(address: string): string {
  const base = new URL(document.baseURI);
  const asked = new URL(address, base);
  const folder = base.pathname.replace(/[^/]*$/, "");
  const isOurs =
    asked.origin === base.origin && asked.pathname.startsWith(folder) && /\.(m?js|tsx?)$/.test(asked.pathname);
  if (!isOurs) throw new TypeError("this is not a script of the page");
  return asked.href;
}

/** The nonce of this answer, for style tags that libraries make. */
export function nonce(): string {
  return document.querySelector('meta[name="csp-nonce"]')?.getAttribute("content") ?? "";
}
