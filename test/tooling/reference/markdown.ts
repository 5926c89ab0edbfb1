import { topics } from "../../../src/cli/topics.ts";
import { type Chapter, type CommandPage, globalOptions, type Row } from "./model.ts";

/** The reference of all commands as one Markdown file. */
export function asMarkdown(chapters: readonly Chapter[]): string {
  const blocks = [
    "# The commands of ferry",
    "Written from the program by `test/tooling/reference.test.ts`; what `ferry COMMAND --help` says.",
    ...groupsOf(chapters).map(([group, members]) => `**${group}**: ${members.map(link).join(", ")}`),
    ...chapters.flatMap(chapter),
    "## Options of every command",
    table(["option", "what"], globalOptions()),
    ...topics.flatMap(({ title, rows }) => [`## ${title}`, table(["", ""], rows)]),
  ];
  return `${blocks.join("\n\n")}\n`;
}

function groupsOf(chapters: readonly Chapter[]): [string, Chapter[]][] {
  const groups = [...new Set(chapters.map(({ group }) => group))];
  return groups.map((group) => [group, chapters.filter((chapter) => chapter.group === group)]);
}

function link({ name }: Chapter): string {
  return `[${name}](#ferry-${name})`;
}

function chapter({ name, summary, aliases, pages }: Chapter): string[] {
  const [only] = pages;
  if (pages.length === 1 && only?.name === `ferry ${name}`) return [`## ${only.name}`, ...body(only)];
  return [`## ferry ${name}`, `${summary}.`, ...also(aliases), ...pages.flatMap((page) => [`### ${page.name}`, ...body(page)])];
}

function body({ about, usage, aliases, examples, fields, otherFields, ...page }: CommandPage): string[] {
  const known = [...page.arguments, ...page.options];
  return [
    text(about),
    `\`${usage}\``,
    ...also(aliases),
    ...(known.length === 0 ? [] : [table(["argument or option", "what"], known)]),
    ...(fields.length === 0
      ? []
      : [
          `JSON fields: ${[quoted(fields), ...otherFields.map(({ given, fields: others }) => `with \`${given}\`: ${quoted(others)}`)].join("; ")}`,
        ]),
    ["```sh", ...examples, "```"].join("\n"),
  ];
}

function also(aliases: readonly string[]): string[] {
  return aliases.length === 0 ? [] : [`Also: ${quoted(aliases)}.`];
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(", ");
}

function table([term, meaning]: Row, rows: readonly Row[]): string {
  const lines = rows.map(([name, what]) => `| \`${name.replaceAll("|", "\\|")}\` | ${text(what).replaceAll("|", "\\|")} |`);
  return [`| ${term} | ${meaning} |`, "| --- | --- |", ...lines].join("\n");
}

/** Angle brackets would be taken for HTML. */
function text(words: string): string {
  return words.replaceAll("<", "&lt;").replaceAll("*", "\\*").replaceAll("_", "\\_");
}
