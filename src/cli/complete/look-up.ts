import { shortIds } from "../../base/ids.ts";
import { type ArgumentNode, type CommandNode, named, type OptionNode } from "../help/node.ts";
import { topics } from "../topics.ts";
import type { Candidate } from "./candidate.ts";

/** What the commands themselves tell of a word; or by which name its values are known, and which of those can be meant. */
export type Found =
  | { readonly candidates: readonly Candidate[] }
  | { readonly wanted: string; choose(values: readonly Candidate[]): readonly Candidate[] };

type Choose = (values: readonly Candidate[]) => readonly Candidate[];

/** What can stand in the place of the last of `words`, the words of a command line of `program` up to the cursor. */
export function lookUp(program: CommandNode, words: readonly string[]): Found {
  if (words[0] === "help" && words.length > 1) return { candidates: helpOn(program, words.slice(1)) };
  const current = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const place = walk(program, before);
  const inline = /^(--[\w-]+)=(.*)$/su.exec(current);
  if (inline !== null) {
    const [, flag = "", value = ""] = inline;
    return optionValues(place, flag, value, (found) => found.map((one) => ({ ...one, value: `${flag}=${one.value}` })));
  }
  // bash takes `--flag=value` apart.
  const flag = (before.at(-1) === "=" ? before.at(-2) : before.at(-1)) ?? "";
  if (optionOf(place, flag)?.takesValue === true) return optionValues(place, flag, current === "=" ? "" : current);
  if (current.startsWith("-")) return { candidates: matching(place.options.map(flagCandidate), current) };
  if (place.command.commands.length > 0) return { candidates: matching(place.command.commands.map(described), current) };
  const argument = argumentAt(place.command.arguments, place.given.length);
  if (argument === undefined) return { candidates: [] };
  const [first = ""] = place.given;
  // Which values a key can have, only the key tells; and which paths a method, and what of one stands there.
  const names: Readonly<Record<string, string>> = { value: `value of ${first}`, path: `path of ${first} ${current}` };
  const name = names[argument.name] ?? argument.name;
  return among(argument.choices, name, (values) => matching(values, current));
}

/** What help can be asked for: commands, and at the first place what it tells beside them. */
function helpOn(program: CommandNode, words: readonly string[]): Candidate[] {
  const { command } = walk(program, words.slice(0, -1));
  const beside = words.length > 1 ? [] : topics.map(({ name, title }) => ({ value: name, description: title }));
  return matching([...command.commands.map(described), ...beside], words.at(-1) ?? "");
}

/** Where on the command line the words have led. */
interface Place {
  readonly command: CommandNode;
  /** All options that may stand here. */
  readonly options: readonly OptionNode[];
  /** The arguments that stand there already. */
  readonly given: readonly string[];
}

/** Follows the words to the command that they name; options and their values are stepped over. */
function walk(program: CommandNode, words: readonly string[]): Place {
  let place: Place = { command: program, options: program.options, given: [] };
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const { command } = place;
    if (word.startsWith("-") && word !== "-") {
      if (!word.includes("=") && optionOf(place, word)?.takesValue === true) at += words[at + 1] === "=" ? 2 : 1;
    } else if (command.commands.length === 0) place = { ...place, given: [...place.given, word] };
    else place = stepInto(program, named(command.commands, word));
  }
  return place;
}

function stepInto(program: CommandNode, command: CommandNode | undefined): Place {
  if (command === undefined) return { command: nowhere, options: program.options, given: [] };
  return { command, options: [...program.options, ...command.options], given: [] };
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

/** Options whose value is several, with commas between them. */
const lists: ReadonlySet<string> = new Set(["--fields", "--type", "--scopes", "--on"]);

function optionValues(place: Place, flag: string, current: string, finish: Choose = (found) => found): Found {
  const option = optionOf(place, flag);
  if (option === undefined) return { candidates: [] };
  if (!lists.has(option.long ?? ""))
    return among(option.choices, option.attribute, (values) => finish(matching(values, current)));
  // The names before the last comma stay.
  const kept = current.slice(0, current.lastIndexOf(",") + 1);
  const known = option.long === "--fields" ? (place.command.fields ?? []) : undefined;
  return among(known, option.attribute, (names) => {
    const all = names.map(({ value, description }) => ({ value: kept + value, description }));
    return finish(matching(all, current));
  });
}

function among(choices: readonly string[] | undefined, name: string, choose: Choose): Found {
  if (choices === undefined) return { wanted: name, choose: name === "session" ? (values) => byId(values, choose) : choose };
  return { candidates: choose(choices.map((value) => ({ value, description: "" }))) };
}

/** Tables show an id without its prefix: who begins with that is meant, too, and goes on with as much as the tables show. */
function byId(values: readonly Candidate[], choose: Choose): readonly Candidate[] {
  const found = choose(values);
  if (found.length > 0) return found;
  const short = shortIds(values.map(({ value }) => value));
  return choose(values.map((one, at) => ({ ...one, value: short[at] ?? one.value })));
}

function matching(candidates: readonly Candidate[], current: string): Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(current));
}
