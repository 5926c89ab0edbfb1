import type { Command, CommanderError } from "commander";
import { FerryError } from "../base/errors.ts";
import { entries } from "./commands/index.ts";
import { nearMisses } from "./near.ts";

/** Commander puts `error: ` before and a suggestion in brackets behind; its own exit code for all of them is 1. */
export async function usageError({ code, message }: CommanderError, program: Command): Promise<FerryError> {
  const [, what = message, suggested = ""] =
    /^(?:error: )?([\s\S]*?)(?:\n\(Did you mean (?:one of )?(.*?)\?\))?$/u.exec(message.trim()) ?? [];
  const word = /'([^']*)'/u.exec(what)?.[1] ?? "";
  // Commander's suggestions go as far as words that have next to nothing in common.
  const near = nearMisses(word, suggested.split(", "));
  const meant = code === "commander.unknownCommand" && word === program.args[0] ? await meantCommands(program, word, near) : near;
  return new FerryError("usage", what.trim(), { hint: meant.length === 0 ? "see --help" : `did you mean ${either(meant)}?` });
}

/** A noun whose verb was left out. */
export function verbMissing(noun: Command): FerryError {
  const verbs = noun.commands.map((command) => command.name()).join(", ");
  return new FerryError("usage", `${noun.name()} needs a command`, { hint: `one of ${verbs}` });
}

/** What someone can have meant by an unknown first word: an option without its dashes, a slip, a verb without its noun. */
async function meantCommands(program: Command, word: string, near: readonly string[]): Promise<readonly string[]> {
  if (program.options.some(({ long }) => long === `--${word}`)) return [`--${word}`];
  if (near.length > 0) return near;
  const nouns = await Promise.all(entries.map(async ({ name, load }) => ({ name, verbs: await load() })));
  return nouns.flatMap(({ name, verbs }) =>
    [verbs]
      .flat()
      .filter((verb) => verb.name !== name && (verb.name === word || verb.aliases?.includes(word) === true))
      .map((verb) => `ferry ${name} ${verb.name}`),
  );
}

function either(things: readonly string[]): string {
  return [things.slice(0, -1).join(", "), things.at(-1)].filter(Boolean).join(" or ");
}
