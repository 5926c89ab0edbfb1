import { Command, type Option } from "commander";
import { entries } from "../commands/index.ts";
import type { Host } from "../../host/host.ts";
import { makeContext, type Context } from "../context.ts";
import { addGlobalOptions, type GlobalOptions } from "../options.ts";
import type { Entry, Verb } from "../verb.ts";
import type { Candidate } from "./candidate.ts";
import { valuesFor } from "./values.ts";

/**
 * Prints what can stand in the place of the last of `words`, the words of a command line after `ferry` up to the cursor: a line
 * each, a tab before its description. Nothing where a file is meant, or nothing is known.
 */
export async function printCandidates(words: readonly string[], host: Host): Promise<void> {
  const context = makeContext(host, globalsIn(words.slice(0, -1)));
  const candidates = await complete(context, words);
  await context.print.data(candidates.map(({ value, description }) => `${value}\t${description}\n`).join(""));
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

async function complete(context: Context, words: readonly string[]): Promise<Candidate[]> {
  const current = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const { command, nouns, rest, topic } = await walk(before);
  const inline = /^(--[\w-]+)=(.*)$/su.exec(current);
  if (inline !== null) {
    const [, flag = "", value = ""] = inline;
    const found = await optionValues(context, optionOf(command, flag), topic, value);
    return found.map((candidate) => ({ ...candidate, value: `${flag}=${candidate.value}` }));
  }
  // bash takes `--flag=value` apart.
  const flag = before.at(-1) === "=" ? before.at(-2) : before.at(-1);
  const option = flag?.startsWith("-") === true ? optionOf(command, flag) : undefined;
  if (option?.required === true) return optionValues(context, option, topic, current === "=" ? "" : current);
  if (current.startsWith("-")) return matching(optionsOf(command), current);
  if (nouns !== undefined) return matching(nouns, current);
  const argument = command.registeredArguments[Math.min(rest, command.registeredArguments.length - 1)];
  if (argument === undefined || (rest >= command.registeredArguments.length && !argument.variadic)) return [];
  const choices = argument.argChoices?.map((value) => ({ value, description: "" }));
  return matching(choices ?? (await valuesFor(context, argument.name())), current);
}

interface Walked {
  /** All options that may stand here, and the arguments of the verb. */
  readonly command: Command;
  /** What may be named next; undefined where that is an argument. */
  readonly nouns: readonly Candidate[] | undefined;
  /** How many arguments were given already. */
  readonly rest: number;
  /** The noun. */
  readonly topic: string;
}

/** Follows the words to the verb that they name; options and their values are stepped over. */
async function walk(words: readonly string[]): Promise<Walked> {
  const command = new Command();
  addGlobalOptions(command);
  let nouns: readonly Candidate[] | undefined = entries.map(described);
  let verbs: readonly Verb[] | undefined;
  let topic = "";
  let rest = 0;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word.startsWith("-") && word !== "-") {
      if (!word.includes("=") && optionOf(command, word)?.required === true) at += words[at + 1] === "=" ? 2 : 1;
      continue;
    }
    if (nouns === undefined) {
      rest += 1;
      continue;
    }
    const named: Verb | readonly Verb[] | undefined = verbs === undefined ? await find(entries, word)?.load() : find(verbs, word);
    if (verbs === undefined) topic = find(entries, word)?.name ?? "";
    verbs = isList(named) ? named : [];
    nouns = isList(named) ? named.map(described) : undefined;
    if (named !== undefined && !isList(named)) named.define?.(command);
  }
  return { command, nouns, rest, topic };
}

function find<T extends Pick<Entry, "name" | "aliases">>(things: readonly T[], word: string): T | undefined {
  return things.find(({ name, aliases = [] }) => name === word || aliases.includes(word));
}

function isList(loaded: Verb | readonly Verb[] | undefined): loaded is readonly Verb[] {
  return Array.isArray(loaded);
}

function described({ name, summary }: Pick<Entry, "name" | "summary">): Candidate {
  return { value: name, description: summary };
}

function optionOf(command: Command, flag: string): Option | undefined {
  return command.options.find(({ long, short }) => flag === long || flag === short);
}

function optionsOf(command: Command): Candidate[] {
  const help = { value: "--help", description: "show what a command does and takes" };
  const shown = command.options.filter(({ hidden }) => !hidden);
  return [...shown.map(({ long, short, description }) => ({ value: long ?? short ?? "", description })), help];
}

async function optionValues(context: Context, option: Option | undefined, topic: string, current: string): Promise<Candidate[]> {
  if (option === undefined) return [];
  if (option.argChoices !== undefined)
    return matching(
      option.argChoices.map((value) => ({ value, description: "" })),
      current,
    );
  if (option.long !== "--fields") return matching(await valuesFor(context, option.attributeName()), current);
  // The names before the last comma stay.
  const kept = current.slice(0, current.lastIndexOf(",") + 1);
  const names = await valuesFor(context, `fields of ${topic}`);
  return matching(
    names.map(({ value, description }) => ({ value: kept + value, description })),
    current,
  );
}

function matching(candidates: readonly Candidate[], current: string): Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(current));
}
