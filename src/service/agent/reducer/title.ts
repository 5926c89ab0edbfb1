import type { Call } from "./call.ts";
import type { Fields } from "./fields.ts";

/** Titles that say what a call's input would, with the names that it would have there. */
const forms: readonly (readonly [title: RegExp, ...names: string[]])[] = [
  // Codex: what its commands do, where they only look.
  [/^Search for '([^]+)'(?: in ([^']+))?$/u, "pattern", "path"],
  [/^Search in '([^]+)'$/u, "path"],
  [/^List files in '([^]+)'$/u, "path"],
  // Gemini: its grep and its glob.
  [/^'([^]+)'(?: in (\S+))?(?: within (?:\.\/|(\S.*)))?(?: across all workspace directories)?$/u, "pattern", "glob", "path"],
  [/^Searching the web for: "([^]*)"$/u, "query"],
];

/** What a call was given. Codex and Gemini don't send it with all calls, and say it in words, for people. */
export function inputOf({ input, title, tool, content }: Call): Fields {
  if (Object.keys(input).length > 0) return input;
  if (tool === "list_directory") return { path: title };
  const [, start, end] = /^Read lines (\d+)-(\d+) of \d+ /u.exec(content) ?? [];
  if (start !== undefined && end !== undefined) return { start_line: Number(start), end_line: Number(end) };
  for (const [form, ...names] of forms) {
    const found = form.exec(title);
    if (found === null) continue;
    const said = names.map((name, at) => [name, found[at + 1]] as const);
    return Object.fromEntries(said.filter(([, value]) => value !== undefined));
  }
  return input;
}
