// The fourteen rules of the contract in a sentence each, for people who meet one in a note.

export const RULES: ReadonlyMap<string, { title: string; text: string }> = new Map([
  ["R1", { title: "Presence", text: "A key that is there counts, whatever its value: 0, false, an empty text or null are results." }],
  ["R2", { title: "Order", text: "Structured content is the result; without it the first text when it is JSON; else the text itself." }],
  ["R3", { title: "Already a contract", text: "An object with “results” is taken as it is. Members that are not known stay." }],
  ["R4", { title: "Facts", text: "“meta_data” is an object of small facts. Anything else is kept inside of it, and more than 4 KiB becomes a file." }],
  ["R5", { title: "Legacy arrays", text: "Names and contents of files belong together by their place. “artifacts” wins where both are there." }],
  ["R6", { title: "A bad file harms nobody else", text: "A file that can be repaired is repaired, one that cannot is left out, and the others stay." }],
  ["R7", { title: "Media type", text: "What the tool declares holds, unless the first bytes prove it wrong." }],
  ["R8", { title: "Blocks", text: "Pictures, sound and embedded binaries become files; links to resources stay links." }],
  ["R9", { title: "Errors", text: "A result that is flagged as an error is shown as one, in the words of the tool." }],
  ["R10", { title: "Empty", text: "No content, an empty text or nothing at all is the result null." }],
  ["R11", { title: "Envelope", text: "The data of a response envelope is the result, its meta data are the facts. An error in it outranks success." }],
  ["R12", { title: "Schema", text: "Where a tool declares an output schema, the result is compared with it, and what does not fit is named with its place." }],
  ["R13", { title: "Display", text: "Wishes about how to show files are followed where they are known words, and removed where they are not." }],
  ["R14", { title: "Nothing silent", text: "Whatever is not in the result or in a file is named in a note." }],
]);
