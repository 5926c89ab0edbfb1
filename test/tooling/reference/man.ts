import { topics } from "../../../src/cli/topics.ts";
import { type Chapter, type CommandPage, type Row } from "./model.ts";

/** ferry.1, one page a top-level command, and git-ferry.1, which git looks for: by file name, in the language of man(7). `options` are the program's. */
export function asManPages(chapters: readonly Chapter[], options: readonly Row[]): Map<string, string> {
  return new Map([
    ["ferry.1", mainPage(chapters, options)],
    ["git-ferry.1", ".so man1/ferry.1\n"],
    ...chapters.map((chapter): [string, string] => [`ferry-${chapter.name}.1`, chapterPage(chapter)]),
  ]);
}

function mainPage(chapters: readonly Chapter[], options: readonly Row[]): string {
  return written([
    ...head("ferry", "a coding agent's companion in the terminal"),
    ".SH SYNOPSIS",
    "\\fBferry\\fR \\fIcommand\\fR [\\fIoptions\\fR]",
    ".SH DESCRIPTION",
    roff("Starts sessions of a coding agent, shows what it does while it does it, and brings its commits into the working copy."),
    ".SH COMMANDS",
    ...list(chapters.map(({ name, summary }): Row => [`ferry-${name}(1)`, summary])),
    ".SH OPTIONS",
    ...list(options),
    ...topics.flatMap(({ title, rows }) => [`.SH ${title.toUpperCase()}`, ...list(rows)]),
    ".SH SEE ALSO",
    "\\fBgit\\fR(1), \\fBgit\\-am\\fR(1)",
  ]);
}

function chapterPage({ name, summary, aliases, pages }: Chapter): string {
  return written([
    ...head(`ferry-${name}`, summary.charAt(0).toLowerCase() + summary.slice(1)),
    ".SH SYNOPSIS",
    ...pages.flatMap(({ usage }, at) => [...(at === 0 ? [] : [".br"]), roff(usage)]),
    ".SH DESCRIPTION",
    ...also(aliases),
    ...pages.flatMap(body),
    ".SH SEE ALSO",
    "\\fBferry\\fR(1)",
  ]);
}

function head(name: string, what: string): string[] {
  // A name with a hyphen in it that isn't its own is no longer there to be copied.
  return [`.TH ${name.toUpperCase()} 1 "" "ferry" "ferry manual"`, ".nh", ".ad l", ".SH NAME", `${roff(name)} \\- ${roff(what)}`];
}

function also(aliases: readonly string[]): string[] {
  return aliases.length === 0 ? [] : [".PP", roff(`Also: ${aliases.join(", ")}.`)];
}

function body({ name, about, aliases, examples, fields, otherFields, ...page }: CommandPage): string[] {
  return [
    `.SS ${roff(name)}`,
    roff(about),
    ...also(aliases),
    ...list([...page.arguments, ...page.options]),
    ...(fields.length === 0 ? [] : [".PP", roff(`JSON fields: ${fields.join(", ")}`)]),
    ...otherFields.flatMap(({ given, fields: others }) => [".br", roff(`with ${given}: ${others.join(", ")}`)]),
    ".PP",
    "Examples:",
    ".PP",
    ".RS",
    ".nf",
    ...examples.map(roff),
    ".fi",
    ".RE",
  ];
}

function list(rows: readonly Row[]): string[] {
  return rows.flatMap(([term, meaning]) => [".TP", `\\fB${roff(term)}\\fR`, roff(meaning)]);
}

/** man(7): a backslash and a leading dot or quote are its own, and a bare hyphen can't be searched for or copied. */
function roff(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^(?=[.'])/u, "\\&");
}

function written(lines: readonly string[]): string {
  return `${lines.join("\n")}\n`;
}
