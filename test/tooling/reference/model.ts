import { Command, type Option } from "commander";
import { entries } from "../../../src/cli/commands/index.ts";
import { describeOption } from "../../../src/cli/describe.ts";
import { addGlobalOptions } from "../../../src/cli/options.ts";
import type { Verb } from "../../../src/cli/verb.ts";

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
}

/** A top-level command: of itself, or of a noun's verbs. */
export interface Chapter {
  readonly name: string;
  readonly group: string;
  readonly summary: string;
  readonly pages: readonly CommandPage[];
}

/** The whole program, in the order of its help. */
export async function readProgram(): Promise<Chapter[]> {
  return Promise.all(
    entries.map(async ({ name, aliases = [], group, summary, load }) => {
      const loaded = await load();
      const pages =
        "run" in loaded
          ? [page(`ferry ${name}`, loaded, aliases)]
          : loaded.map((verb) => page(`ferry ${name} ${verb.name}`, verb, verb.aliases ?? []));
      return { name, group: group.replace(/:$/u, ""), summary, pages };
    }),
  );
}

export function globalOptions(): Row[] {
  const command = new Command();
  addGlobalOptions(command);
  return optionRows(command);
}

function page(name: string, verb: Verb, aliases: readonly string[]): CommandPage {
  const command = new Command(name);
  verb.define?.(command);
  const help = command.createHelp();
  const taken = command.registeredArguments.map((argument) => help.argumentTerm(argument));
  const usage = command.registeredArguments.map(({ required, variadic }, at) => {
    const term = `${taken[at] ?? ""}${variadic ? "..." : ""}`;
    return required ? `<${term}>` : `[${term}]`;
  });
  return {
    name,
    usage: [name, ...usage, "[options]"].join(" "),
    about: verb.description ?? `${verb.summary}.`,
    aliases,
    arguments: command.registeredArguments.map((argument): Row => [
      help.argumentTerm(argument),
      help.argumentDescription(argument),
    ]),
    options: optionRows(command),
    examples: verb.examples,
  };
}

function optionRows(command: Command): Row[] {
  const help = command.createHelp();
  const shown = command.options.filter(({ hidden }: Option) => !hidden);
  return shown.map((option): Row => [help.optionTerm(option), describeOption(option)]);
}
