import type { Command, CommanderError } from "commander";
import { FerryError } from "../base/errors.ts";
import { entries } from "./commands/index.ts";
import { nearMisses } from "./near.ts";

/** Commander puts `error: ` before and a suggestion in brackets behind; its own exit code for all of them is 1. */
export async function usageError({ code, message }: CommanderError, program: Command): Promise<FerryError> {
  const [, what = message, suggested = ""] =
    /^(?:error: )?([\s\S]*?)(?:\n\(Did you mean (?:one of )?(.*?)\?\))?$/u.exec(message.trim()) ?? [];
  const word = /'([^']*)'/u.exec(what)?.[1] ?? "";
  const { asked, noun } = askedFor(program);
  const path = asked.split(" ").slice(1).join(" ");
  const told =
    code === "commander.excessArguments"
      ? what.replace(/'[^']*'/u, () => `'${path}'`)
      : what.replace(/^command-argument value ('.*') is invalid for argument '(.*)'\./u, "argument <$2> $1 is invalid.");
  const isCommand = code === "commander.unknownCommand";
  // Commander's suggestions go as far as words that have next to nothing in common, and leave out beginnings.
  const near = nearMisses(word, isCommand ? namesIn(noun ?? program) : suggested.split(", "));
  const meant =
    isCommand && noun === undefined
      ? await meantCommands(program, word, near)
      : isCommand && noun !== undefined && near.length === 0
        ? meantOf(noun, word, program)
        : near;
  return new FerryError("usage", isCommand && noun !== undefined ? `${noun.name()} has no command '${word}'` : told.trim(), {
    hint: meant.length === 0 ? `see ${asked} --help` : `did you mean ${either(meant)}?`,
  });
}

/** The command whose arguments don't fit, as it is typed; and its noun, where there is one. */
function askedFor(program: Command): { readonly asked: string; readonly noun: Command | undefined } {
  const [first = "", second = ""] = program.args;
  const noun = named(program, first);
  const verb = noun === undefined ? undefined : named(noun, second);
  return { asked: [program, noun, verb].flatMap((command) => command?.name() ?? []).join(" "), noun };
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

/** What someone can have meant by an unknown first word: an option without its dashes, a slip, a topic of the help, a verb without its noun. */
async function meantCommands(program: Command, word: string, near: readonly string[]): Promise<readonly string[]> {
  if (program.options.some(({ long }) => long === `--${word}`)) return [`--${word}`];
  if (near.length > 0) return near;
  const { topics } = await import("./topics.ts");
  const about = nearMisses(
    word,
    topics.map(({ name }) => name),
  );
  if (about.length > 0) return about.map((name) => `ferry help ${name}`);
  const nouns = await Promise.all(entries.map(async ({ name, load }) => ({ name, loaded: await load() })));
  return nouns.flatMap(({ name, loaded }) =>
    "run" in loaded
      ? []
      : loaded
          .filter((verb) => verb.name === word || verb.aliases?.includes(word) === true)
          .map((verb) => `ferry ${name} ${verb.name}`),
  );
}

function either(things: readonly string[]): string {
  return [things.slice(0, -1).join(", "), things.at(-1)].filter(Boolean).join(" or ");
}
