import type { CommandNode } from "./node.ts";

/** What is explained, and how. */
export type Row = readonly [term: string, about: string];
type Section = readonly [title: string, rows: readonly Row[]];

const indent = "  ";
const gap = 2;
/** Beside its term an explanation is given no less room than this, or its longest word; below it where there isn't so much. */
const narrowest = 28;

/**
 * A command's help, wrapped to `width` columns, with what is looked for most coming first. Examples are never broken: they are
 * there to be copied. `program` is ferry itself, whose options all commands have.
 */
export function layOutHelp(node: CommandNode, program: CommandNode, width: number): string {
  const own: Section[] = [
    ["Arguments:", node.arguments.map(({ term, about }) => [term, about])],
    ...groups(node.commands),
    ["Options:", node.name === program.name ? [] : rowsOf(node)],
    ["Global options:", rowsOf(program)],
  ];
  const sections = own.filter(([, rows]) => rows.length > 0);
  const termWidth = Math.max(...sections.flatMap(([, rows]) => rows.map(([term]) => term.length)));
  const aliases = node.aliases.length === 0 ? [] : [`Aliases: ${node.aliases.join(", ")}`];
  return [
    ...wrap(node.about, width),
    "",
    ...wrapHanging(`Usage: ${node.usage}`, width, 7),
    ...aliases,
    ...(node.examples.length === 0 ? [] : ["", "Examples:", ...node.examples.map((example) => indent + example)]),
    ...sections.flatMap(([title, rows]) => ["", title, ...rows.flatMap((row) => layOutRow(row, termWidth, width))]),
    ...(node.codes.length === 0 ? [] : ["", "Exit codes:", ...node.codes.flatMap((row) => layOutRow(row, 3, width))]),
    ...node.closing.flatMap((paragraph) => ["", ...wrap(paragraph, width)]),
    "",
  ].join("\n");
}

function rowsOf({ options }: CommandNode): Row[] {
  return options.map(({ term, about }) => [term, about]);
}

function groups(commands: readonly CommandNode[]): Section[] {
  return [...new Set(commands.map(({ group }) => group))].map((title) => [
    title,
    commands
      .filter(({ group }) => group === title)
      .map((command) => [[command.name, ...command.arguments.map(({ term }) => term)].join(" "), command.summary]),
  ]);
}

/** A term with its explanation beside it, or below it where the terminal is too narrow for that. */
export function layOutRow([term, about]: Row, termWidth: number, width: number): string[] {
  const start = indent.length + termWidth + gap;
  const longest = Math.max(...about.split(" ").map((word) => word.length));
  if (width - start < Math.max(narrowest, longest))
    return [indent + term, ...wrap(about, width - 6).map((line) => " ".repeat(6) + line)];
  const [first = "", ...more] = wrap(about, width - start);
  if (term.length > termWidth) return [indent + term, ...[first, ...more].map((line) => " ".repeat(start) + line)];
  return [`${indent}${term.padEnd(termWidth + gap)}${first}`, ...more.map((line) => " ".repeat(start) + line)];
}

function wrapHanging(text: string, width: number, hang: number): string[] {
  const [first = "", ...rest] = wrap(text, width);
  return rest.length === 0 ? [first] : [first, ...wrap(rest.join(" "), width - hang).map((line) => " ".repeat(hang) + line)];
}

/** Broken between words; a word that is longer than a line stays whole. Help is ASCII, so a letter is a column. */
function wrap(text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.at(-1) ?? "";
    if (last === "") lines[lines.length - 1] = word;
    else if (last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
