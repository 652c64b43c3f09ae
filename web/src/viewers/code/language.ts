// Which language a file is written in, loaded when it is needed.
import { LanguageDescription, type LanguageSupport } from "@codemirror/language";
import { languages } from "@codemirror/language-data";
import { essenceOf } from "../kind";

/** Media types whose last word is not the language's name. */
const BY_TYPE: ReadonlyMap<string, string> = new Map([
  ["application/json", "json"], ["application/ld+json", "json"], ["application/x-sh", "shell"], ["text/x-shellscript", "shell"],
  ["text/x-c", "c"], ["text/x-c++", "c++"], ["text/x-csrc", "c"], ["text/x-c++src", "c++"], ["text/x-script.python", "python"],
  ["application/xml", "xml"], ["application/yaml", "yaml"], ["text/x-rustsrc", "rust"], ["image/svg+xml", "xml"],
  ["application/xhtml+xml", "html"], ["application/x-httpd-php", "php"],
]);

export function languageOf(name: string, mime: string): LanguageDescription | undefined {
  const essence = essenceOf(mime);
  const word = BY_TYPE.get(essence) ?? essence.replace(/^(text|application)\/(x-)?/, "").replace(/^.*\+/, "");
  return (
    LanguageDescription.matchFilename(languages, name) ??
    (essence === "text/plain" || word === "octet-stream" ? undefined : languageNamed(word)) ??
    undefined
  );
}

/** By the name that people write behind the fence of a code block. */
export function languageNamed(name: string): LanguageDescription | undefined {
  return name === "" ? undefined : (LanguageDescription.matchLanguageName(languages, name, false) ?? undefined);
}

export async function loadLanguage(description: LanguageDescription | undefined): Promise<LanguageSupport | undefined> {
  // A language that does not load leaves the text without colours.
  return description?.load().catch(() => undefined);
}
