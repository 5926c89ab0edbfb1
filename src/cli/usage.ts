import type { Command, CommanderError } from "commander";
import { FerryError } from "../base/errors.ts";
import { oneLine } from "../base/text.ts";
import { either } from "../base/words.ts";
import { entries } from "./commands/index.ts";
import { sameFlags, wordMeant } from "./habits.ts";
import { nearMisses } from "./near.ts";
import type { GlobalOptions } from "./options.ts";

/**
 * Commander puts `error: ` before and a suggestion in brackets behind; its own exit code for all of them is 1. Where `asks`, there is a
 * person who can be asked for what an editor takes.
 */
export async function usageError({ code, message }: CommanderError, program: Command, asks: boolean): Promise<FerryError> {
  const [, what = message] = /^(?:error: )?([\s\S]*?)(?:\n\(Did you mean .*?\?\))?$/u.exec(message.trim()) ?? [];
  const { asked, noun, called } = askedFor(program);
  const path = asked.split(" ").slice(1).join(" ");
  if (code === "commander.unknownOption") return unknownOption(what, called, path);
  if (code === "commander.missingMandatoryOptionValue")
    return new FerryError("usage", missingIn(called, asks), { hint: hintFor([], asked) });
  const word = /'([^']*)'/u.exec(what)?.[1] ?? "";
  const told =
    code === "commander.excessArguments"
      ? what.replace(/'[^']*'/u, () => `'${path}'`)
      : what.replace(/^command-argument value ('.*') is invalid for argument '(.*)'\./u, "argument <$2> $1 is invalid.");
  const isCommand = code === "commander.unknownCommand";
  const meant = isCommand
    ? await meantCommands(noun ?? program, word, program)
    : code === "commander.excessArguments"
      ? wordMeant(path, oneLine(called.args[called.registeredArguments.length] ?? ""), called.optsWithGlobals<GlobalOptions>())
      : [];
  return new FerryError("usage", isCommand && noun !== undefined ? `${noun.name()} has no command '${word}'` : told.trim(), {
    hint: hintFor(meant, asked),
  });
}

/** All that must be given and isn't: commander names the first of the options alone. */
function missingIn(called: Command, asks: boolean): string {
  const { file } = called.opts<{ file?: string }>();
  // What may come from a file or an editor instead is no required argument.
  const isText = !asks && file === undefined && called.options.some(({ long }) => long === "--file");
  const words = called.registeredArguments.filter(
    ({ required, variadic }, at) => (required || (variadic && isText)) && called.args[at] === undefined,
  );
  const flags = called.options.filter(
    (option) => option.mandatory && called.getOptionValue(option.attributeName()) === undefined,
  );
  const all = [...words.map((argument) => `argument '${argument.name()}'`), ...flags.map((option) => `option '${option.flags}'`)];
  return `missing required ${all.join(" and ")}`;
}

/** What follows a `=`, or the letter of a short option, may be a secret, and stays out of the message. */
function unknownOption(what: string, called: Command, path: string): FerryError {
  const [, flag = "", value] = /'(--[^'=]*|-[^'=]?)(?:=([^']*))?/u.exec(what) ?? [];
  const [own = [], ...above] = [called, ...ancestors(called)].map(flagsOf);
  const everybodys = above.flat();
  if ([...own, ...everybodys].includes(flag))
    return new FerryError("usage", `${flag} takes no value`, {
      hint: hintFor(flag === "--json" && value !== undefined ? wordMeant("", value, { json: true }) : [], `ferry ${path}`.trim()),
    });
  const same = sameFlags(flag, path, own, everybodys);
  // Commander's own suggestions go as far as words that have next to nothing in common, and leave out beginnings.
  const meant = same.length > 0 || !flag.startsWith("--") ? same : nearMisses(flag, [...own, ...everybodys]);
  const isText = called.registeredArguments.some((argument) => argument.variadic || argument.name() === "value");
  const text = isText && meant.length === 0 ? "; text that begins with - goes behind --" : "";
  return new FerryError("usage", `unknown option '${oneLine(flag)}'`, { hint: hintFor(meant, `ferry ${path}`.trim()) + text });
}

function ancestors({ parent }: Command): Command[] {
  return parent === null ? [] : [parent, ...ancestors(parent)];
}

function flagsOf({ options }: Command): string[] {
  return options.filter(({ hidden }) => !hidden).map(({ long, short }) => long ?? short ?? "");
}

function hintFor(meant: readonly string[], asked: string): string {
  return meant.length === 0 ? `see ${asked} --help` : `did you mean ${either(meant)}?`;
}

/** The command whose arguments don't fit, and how it is typed; and its noun, where there is one. */
function askedFor(program: Command): { readonly asked: string; readonly noun: Command | undefined; readonly called: Command } {
  const [first = "", second = ""] = program.args;
  const noun = named(program, first);
  const verb = noun === undefined ? undefined : named(noun, second);
  return {
    asked: [program, noun, verb].flatMap((command) => command?.name() ?? []).join(" "),
    noun,
    called: verb ?? noun ?? program,
  };
}

function namesIn({ commands }: Command): string[] {
  return commands.map((command) => command.name());
}

function named({ commands }: Command, word: string): Command | undefined {
  return commands.find((command) => command.name() === word || command.aliases().includes(word));
}

/** Words that other programs have for what ours do, and what ours are called: of these the first that a noun has. */
const synonyms: readonly (readonly [words: readonly string[], ours: readonly string[]])[] = [
  [
    ["delete", "rm", "remove", "destroy"],
    ["delete", "close", "revoke", "unset", "uninstall"],
  ],
  [
    ["rename", "update", "modify"],
    ["edit", "set"],
  ],
  [
    ["show", "get", "info"],
    ["view", "get", "status"],
  ],
  [
    ["create", "new", "add", "start"],
    ["create", "start", "send", "install"],
  ],
  [
    ["stop", "kill", "end"],
    ["stop", "cancel", "close"],
  ],
];

/** What of a noun has that meaning; else the command that is of no noun, as `events` beside `session`. */
function meantOf(noun: Command, word: string, program: Command): readonly string[] {
  const ours = sameMeaning(word, noun);
  if (ours.length > 0) return ours;
  const alone = named(program, word);
  return alone === undefined || alone.commands.length > 0 ? [] : [`ferry ${alone.name()}`];
}

function sameMeaning(word: string, noun: Command): readonly string[] {
  const ours = synonyms.find(([words]) => words.includes(word))?.[1] ?? [];
  return ours.filter((name) => named(noun, name) !== undefined).slice(0, 1);
}

/** A noun whose verb was left out. */
export function verbMissing(noun: Command): FerryError {
  return new FerryError("usage", `${noun.name()} needs a command`, { hint: `one of ${namesIn(noun).join(", ")}` });
}

/** What someone can have meant by a word that is no command of `parent`, a noun or the program itself. */
async function meantCommands(parent: Command, word: string, program: Command): Promise<readonly string[]> {
  const near = nearMisses(word, namesIn(parent));
  if (parent === program) return meantFirst(program, word, near);
  return near.length > 0 ? near : meantOf(parent, word, program);
}

/** By an unknown first word: an option without its dashes, a verb without its noun, a slip, a topic of the help. */
async function meantFirst(program: Command, word: string, near: readonly string[]): Promise<readonly string[]> {
  if (program.options.some(({ long }) => long === `--${word}`)) return [`--${word}`];
  const verbs = await verbsNamed(word);
  if (verbs.length > 0) return verbs;
  if (near.length > 0) return near;
  const { topics } = await import("./topics.ts");
  const about = nearMisses(
    word,
    topics.map(({ name }) => name),
  );
  return about.map((name) => `ferry help ${name}`);
}

async function verbsNamed(word: string): Promise<readonly string[]> {
  const nouns = await Promise.all(entries.map(async ({ name, load }) => ({ name, loaded: await load() })));
  return nouns.flatMap(({ name, loaded }) =>
    "run" in loaded
      ? []
      : loaded
          .filter((verb) => verb.name === word || verb.aliases?.includes(word) === true)
          .map((verb) => `ferry ${name} ${verb.name}`),
  );
}
