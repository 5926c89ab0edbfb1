import { Command, type Argument, type Option } from "commander";
import { entries } from "../commands/index.ts";
import { addGlobalOptions } from "../options.ts";
import { exitCodeRows } from "../topics.ts";
import type { Entry, Verb, VerbEntry } from "../verb.ts";
import type { ArgumentNode, CommandNode, OptionNode } from "./node.ts";

/** The whole program, from what its commands declare: all of them are loaded for it. */
export async function describeProgram(): Promise<CommandNode> {
  const version = { term: "--version", long: "--version", attribute: "version", about: "show the version", takesValue: false };
  return {
    name: "ferry",
    aliases: [],
    summary: "",
    group: "",
    usage: "ferry <command> [options]",
    about: "Your coding agent's companion in the terminal: start it, watch it work, bring its commits home.",
    examples: [
      'ferry run "fix the failing test"   a session from here; its commits come home',
      "ferry tail                         watch the session of this branch",
      "ferry pull                         bring its commits into the working copy",
    ],
    arguments: [],
    options: [version, ...describeGlobalOptions(), help],
    commands: await Promise.all(entries.map(describeEntry)),
    codes: exitCodeRows,
    closing,
  };
}

/** What every command takes, but for the two that do nothing else. */
export function describeGlobalOptions(): OptionNode[] {
  const program = new Command();
  addGlobalOptions(program);
  return program.options.map(describeOption);
}

const help: OptionNode = {
  term: "-h, --help",
  long: "--help",
  short: "-h",
  attribute: "help",
  about: "show what a command does and takes",
  takesValue: false,
};

async function describeEntry({ name, aliases = [], summary, group, load }: Entry): Promise<CommandNode> {
  const loaded = await load();
  if ("run" in loaded) return { ...describeVerb(loaded, ["ferry", name]), aliases, summary, group };
  const describe = async (verb: VerbEntry): Promise<CommandNode> => ({
    ...describeVerb(await verb.load(), ["ferry", name, verb.name]),
    aliases: verb.aliases ?? [],
  });
  return {
    name,
    aliases,
    summary,
    group,
    usage: `ferry ${name} <command> [options]`,
    about: `${summary}.`,
    examples: [],
    arguments: [],
    options: [],
    commands: await Promise.all(loaded.map(describe)),
    codes: [],
    closing: [`What one of them takes: ferry ${name} COMMAND --help`],
  };
}

function describeVerb(verb: Verb, words: readonly string[]): CommandNode {
  const command = new Command(verb.name);
  verb.define?.(command);
  const required = command.options.filter(({ mandatory }) => mandatory);
  const taken = command.registeredArguments.map(describeArgument);
  return {
    name: verb.name,
    aliases: [],
    summary: verb.summary,
    group: "Commands:",
    usage: [...words, ...taken.map(({ term }) => term), ...required.map(({ flags }) => flags), "[options]"].join(" "),
    about: verb.description ?? `${verb.summary}.`,
    examples: verb.examples,
    arguments: taken,
    options: command.options.filter(({ hidden }) => !hidden).map(describeOption),
    ...describeFields(verb, command),
    commands: [],
    codes: [],
    closing: [],
  };
}

function describeFields({ answer, schema }: Verb, { options, registeredArguments }: Command): Fields {
  if (typeof answer !== "function") return answer === undefined && schema === undefined ? {} : { fields: answer ?? schema ?? [] };
  const fields = answer({} as never);
  const byOption = options.flatMap((option) =>
    option.long == null || option.required
      ? []
      : [{ given: option.long ?? "", fields: answer({ [option.attributeName()]: true } as never) }],
  );
  const byArgument = (registeredArguments[0]?.argChoices ?? []).map((given) => ({
    given,
    fields: answer({} as never, given as never),
  }));
  return { fields, otherFields: [...byOption, ...byArgument].filter((others) => others.fields.join() !== fields.join()) };
}

type Fields = Pick<CommandNode, "fields" | "otherFields">;

function describeArgument(argument: Argument): ArgumentNode {
  const { variadic, required, argChoices: choices } = argument;
  const word = `${argument.name()}${variadic ? "..." : ""}`;
  const notes = choices === undefined ? "" : ` (${choices.join(", ")})`;
  return {
    name: argument.name(),
    term: required ? `<${word}>` : `[${word}]`,
    about: `${argument.description}${notes}`,
    variadic,
    ...(choices !== undefined && { choices }),
  };
}

function describeOption(option: Option): OptionNode {
  const { long, short, argChoices: choices } = option;
  return {
    term: option.flags,
    ...(typeof long === "string" && { long }),
    ...(typeof short === "string" && { short }),
    attribute: option.attributeName(),
    about: aboutOption(option),
    takesValue: option.required,
    ...(choices !== undefined && { choices }),
  };
}

/** What it is for, with what it can be and is by default; the default of a flag is always no. */
function aboutOption({ description, argChoices, defaultValue, ...option }: Option): string {
  const isFlag = !option.required && !option.optional;
  const notes = [
    ...(argChoices === undefined ? [] : [argChoices.join(", ")]),
    ...(defaultValue === undefined || isFlag ? [] : [`default: ${String(defaultValue)}`]),
  ];
  return notes.length === 0 || String(defaultValue) === "" ? description : `${description} (${notes.join("; ")})`;
}

const closing = [
  "A session is named by its id or the start of it, its branch or one that is linked to it here, its address in the portal, or - for the newest; left out, it is the one that the branch is linked to.",
  "More help: ferry help COMMAND, ferry help environment, ferry help settings, ferry help exit-codes",
];
