import { describeGlobalOptions, describeProgram } from "../../../src/cli/help/describe.ts";
import type { CommandNode } from "../../../src/cli/help/node.ts";

export type Row = readonly [term: string, meaning: string];

/** A command as its help tells it, for whatever it is written down in. */
export interface CommandPage {
  /** `ferry session list`. */
  readonly name: string;
  readonly usage: string;
  readonly about: string;
  readonly aliases: readonly string[];
  readonly arguments: readonly Row[];
  readonly options: readonly Row[];
  readonly examples: readonly string[];
  /** The names in its JSON, and by option where that makes them others. */
  readonly fields: readonly string[];
  readonly otherFields: Required<CommandNode>["otherFields"];
}

/** A top-level command: of itself, or of a noun's verbs. */
export interface Chapter {
  readonly name: string;
  readonly group: string;
  readonly summary: string;
  /** Other words for it, where it is a noun. */
  readonly aliases: readonly string[];
  readonly pages: readonly CommandPage[];
}

/** The whole program, in the order of its help. */
export async function readProgram(): Promise<Chapter[]> {
  const { commands } = await describeProgram();
  return commands.map((node) => {
    const { name, group, summary } = node;
    const aliases = node.commands.length === 0 ? [] : node.aliases;
    const verbs = node.commands.length === 0 ? [page(node, [name])] : node.commands.map((verb) => page(verb, [name, verb.name]));
    return { name, group: group.replace(/:$/u, ""), summary, aliases, pages: verbs };
  });
}

export function globalOptions(): Row[] {
  return describeGlobalOptions().map(({ term, about }): Row => [term, about]);
}

/** What the program takes by itself, without a command, and what all commands do. */
export async function programOptions(): Promise<Row[]> {
  return (await describeProgram()).options.map(({ term, about }): Row => [term, about]);
}

function page(node: CommandNode, words: readonly string[]): CommandPage {
  return {
    name: ["ferry", ...words].join(" "),
    usage: node.usage,
    about: node.about,
    aliases: node.aliases,
    arguments: node.arguments.map(({ name, about }): Row => [name, about]),
    options: node.options.map(({ term, about }): Row => [term, about]),
    examples: node.examples,
    fields: node.fields ?? [],
    otherFields: node.otherFields ?? [],
  };
}
