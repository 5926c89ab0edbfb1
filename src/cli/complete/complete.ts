import { FerryError } from "../../base/errors.ts";
import type { Host } from "../../host/host.ts";
import { makeContext, type Context } from "../context.ts";
import { type ArgumentNode, type CommandNode, named, type OptionNode } from "../help/node.ts";
import { commandTree } from "../help/tree.ts";
import type { GlobalOptions } from "../options.ts";
import type { Candidate } from "./candidate.ts";

/**
 * Prints what can stand in the place of the last of `words`, the words of a command line after `ferry` up to the cursor: a line
 * each, a tab before its description. Nothing where a file is meant, or nothing is known.
 */
export async function printCandidates(words: readonly string[], host: Host): Promise<void> {
  const context = makeContext(host, globalsIn(words.slice(0, -1)));
  const candidates = await complete(context, words).catch(unlessTold);
  await context.print.data(candidates.map(({ value, description }) => `${value}\t${description}\n`).join(""));
}

/** Logged out, a broken config: who presses Tab is told by the command itself, when they run it. */
function unlessTold(error: unknown): readonly Candidate[] {
  if (error instanceof FerryError) return [];
  throw error;
}

/** Of the options that came before, those that decide whom to ask. */
function globalsIn(words: readonly string[]): GlobalOptions {
  const given = (flag: string): string | undefined => (words.includes(flag) ? words[words.lastIndexOf(flag) + 1] : undefined);
  const [host, folder] = [given("--host"), given("-C")];
  return {
    ...(host !== undefined && { host }),
    ...(folder !== undefined && { C: folder }),
    json: false,
    showSecrets: false,
    quiet: true,
    verbose: false,
    input: false,
    color: "never",
    yes: false,
  };
}

async function complete(context: Context, words: readonly string[]): Promise<readonly Candidate[]> {
  const current = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const place = walk(await commandTree(), before);
  const inline = /^(--[\w-]+)=(.*)$/su.exec(current);
  if (inline !== null) {
    const [, flag = "", value = ""] = inline;
    const found = await optionValues(context, place, flag, value);
    return found.map((candidate) => ({ ...candidate, value: `${flag}=${candidate.value}` }));
  }
  // bash takes `--flag=value` apart.
  const flag = (before.at(-1) === "=" ? before.at(-2) : before.at(-1)) ?? "";
  if (optionOf(place, flag)?.takesValue === true) return optionValues(context, place, flag, current === "=" ? "" : current);
  if (current.startsWith("-")) return matching(place.options.map(flagCandidate), current);
  if (place.command.commands.length > 0) return matching(place.command.commands.map(described), current);
  const argument = argumentAt(place.command.arguments, place.rest);
  if (argument === undefined) return [];
  return matching(await values(context, argument.choices, argument.name), current);
}

/** Where on the command line the words have led. */
interface Place {
  readonly command: CommandNode;
  /** All options that may stand here. */
  readonly options: readonly OptionNode[];
  /** How many arguments were given already. */
  readonly rest: number;
  /** The noun. */
  readonly topic: string;
}

/** Follows the words to the command that they name; options and their values are stepped over. */
function walk(program: CommandNode, words: readonly string[]): Place {
  let place: Place = { command: program, options: program.options, rest: 0, topic: "" };
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const { command } = place;
    if (word.startsWith("-") && word !== "-") {
      if (!word.includes("=") && optionOf(place, word)?.takesValue === true) at += words[at + 1] === "=" ? 2 : 1;
    } else if (command.commands.length === 0) place = { ...place, rest: place.rest + 1 };
    else place = stepInto(place, program, named(command.commands, word));
  }
  return place;
}

function stepInto({ topic }: Place, program: CommandNode, command: CommandNode | undefined): Place {
  if (command === undefined) return { command: nowhere, options: program.options, rest: 0, topic: "" };
  return { command, options: [...program.options, ...command.options], rest: 0, topic: topic || command.name };
}

/** What an unknown word leads to. */
const nowhere: CommandNode = {
  ...{ name: "", aliases: [], summary: "", group: "", usage: "", about: "" },
  ...{ examples: [], arguments: [], options: [], commands: [], codes: [], closing: [] },
};

function described({ name, summary }: CommandNode): Candidate {
  return { value: name, description: summary };
}

function flagCandidate({ long, short, about }: OptionNode): Candidate {
  return { value: long ?? short ?? "", description: about };
}

function optionOf({ options }: Place, flag: string): OptionNode | undefined {
  return options.find(({ long, short }) => flag !== "" && (flag === long || flag === short));
}

function argumentAt(all: readonly ArgumentNode[], at: number): ArgumentNode | undefined {
  const last = all.at(-1);
  return all[at] ?? (last?.variadic === true ? last : undefined);
}

async function optionValues(context: Context, place: Place, flag: string, current: string): Promise<readonly Candidate[]> {
  const option = optionOf(place, flag);
  if (option === undefined) return [];
  if (option.long !== "--fields") return matching(await values(context, option.choices, option.attribute), current);
  // The names before the last comma stay.
  const kept = current.slice(0, current.lastIndexOf(",") + 1);
  const names = await values(context, undefined, `fields of ${place.topic}`);
  return matching(
    names.map(({ value, description }) => ({ value: kept + value, description })),
    current,
  );
}

/** What is known of the program is known at once; what has to be looked up is loaded late. */
async function values(context: Context, choices: readonly string[] | undefined, name: string): Promise<readonly Candidate[]> {
  if (choices !== undefined) return choices.map((value) => ({ value, description: "" }));
  const { valuesFor } = await import("./values.ts");
  return valuesFor(context, name);
}

function matching(candidates: readonly Candidate[], current: string): Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(current));
}
