import type { CommandNode } from "./node.ts";

/** What is explained, and how. */
export type Row = readonly [term: string, about: string];
type Section = readonly [title: string, rows: readonly Row[]];

const indent = "  ";
const gap = 2;
/** What goes on in the next line, or belongs to the one above. */
const below = " ".repeat(6);
/** Beside its term an explanation is given no less room than this, or its longest word; below it where there isn't so much. */
const narrowest = 28;

/**
 * A command's help, wrapped to `width` columns, with what is looked for most coming first. `program` is ferry itself, whose options
 * all commands have.
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
    ...wrapText(node.about, width),
    "",
    ...wrapHanging(`Usage: ${node.usage}`, width, 7),
    ...aliases,
    ...(node.examples.length === 0
      ? []
      : ["", "Examples:", ...node.examples.flatMap((example) => layOutExample(example, width))]),
    ...sections.flatMap(([title, rows]) => ["", title, ...rows.flatMap((row) => layOutRow(row, termWidth, width))]),
    ...(node.fields === undefined ? [] : ["", "JSON fields:", ...layOutFields(node.fields, node.otherFields ?? [], width)]),
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
    return [...wrapIn(term, width), ...wrap(about, width - 6).map((line) => below + line)];
  const [first = "", ...more] = wrap(about, width - start);
  if (term.length > termWidth) return [indent + term, ...[first, ...more].map((line) => " ".repeat(start) + line)];
  return [`${indent}${term.padEnd(termWidth + gap)}${first}`, ...more.map((line) => " ".repeat(start) + line)];
}

/**
 * A command, and what stands behind three blanks to explain it. Where the line is too wide the explanation goes below, and the command
 * on in the next line, as a shell takes it: it is there to be copied.
 */
function layOutExample(example: string, width: number): string[] {
  if (indent.length + example.length <= width) return [indent + example];
  const [command = "", note = ""] = example.split(/ {3,}/u);
  const sign = note.startsWith("# ") ? "# " : "";
  const noted = wrap(note.slice(sign.length), width - below.length - sign.length);
  return [...continued(command, width), ...(note === "" ? [] : noted.map((line) => below + sign + line))];
}

/** A word as a shell takes it, quotes and all, and the flag or the redirection in front that it is for. */
const flagged = /(--?[\w-]+ (?![-|&<>])|[<>] )?((?:'[^']*'|"[^"]*"|\S)+)/gu;

/** Broken between its words, behind which a shell is told so by a backslash, or by what can't end a command. */
function continued(command: string, width: number): string[] {
  const lines: string[] = [];
  let current = "";
  const words = [...command.matchAll(flagged)].flatMap(([whole, flag = "", word = ""]) =>
    flag === "" || below.length + whole.length + 2 <= width ? [whole] : [flag.trim(), word],
  );
  for (const word of words) {
    const next = current === "" ? indent + word : `${current} ${word}`;
    const isOpen = /(?:^|\s)(?:\||&&)$/u.test(current);
    if (current !== "" && next.length + " \\".length > width) {
      lines.push(isOpen ? current : `${current} \\`);
      current = below + word;
    } else current = next;
  }
  return [...lines, current];
}

function layOutFields(fields: readonly string[], others: Required<CommandNode>["otherFields"], width: number): string[] {
  const told = others.map(({ given, fields: names }) => `with ${given}: ${names.join(", ")}`);
  return [fields.join(", "), ...told].flatMap((line) => wrapIn(line, width));
}

function wrapIn(text: string, width: number): string[] {
  return wrap(text, width - indent.length).map((line) => indent + line);
}

/** Paragraphs, with a line between them. */
function wrapText(text: string, width: number): string[] {
  return text.split("\n\n").flatMap((paragraph, at) => [...(at === 0 ? [] : [""]), ...wrap(paragraph, width)]);
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
