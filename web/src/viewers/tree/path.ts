// The way to a value, as jq writes it: `.servers[0]."content-type"`.

export type Step = string | number;

export function jqPath(steps: readonly Step[]): string {
  let path = "";
  for (const step of steps) {
    if (typeof step === "number") path += path === "" ? `.[${step}]` : `[${step}]`;
    else if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(step)) path += `.${step}`;
    else path += path === "" ? `.[${quoted(step)}]` : `[${quoted(step)}]`;
  }
  return path === "" ? "." : path;
}

/** A key as a jq string: JSON, with every character escaped that a shell or a reader might take wrongly. */
function quoted(key: string): string {
  return JSON.stringify(key).replace(/[\u007f-\u{10ffff}]/gu, (character) => {
    const hidden = /[\p{C}\p{Zl}\p{Zp}]/u.test(character);
    if (!hidden) return character;
    let escaped = "";
    for (let at = 0; at < character.length; at += 1) escaped += `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`;
    return escaped;
  });
}
