import type { Command } from "commander";
import { FerryError } from "../base/errors.ts";

/** What was given for an argument or an option. */
interface Given {
  readonly name: string;
  readonly texts: readonly string[];
  /** Somebody's words, as the rest of the line or by an option; fields of a body; a name or the like. */
  readonly kind: "rest" | "words" | "fields" | "name";
}

/** Options that take the one or the other. */
const ofWords: readonly string[] = ["message", "prompt"];
const ofFields: readonly string[] = ["field", "typedField"];

/**
 * Refuses what nobody can have meant, the first of it. An empty argument or option, or a list that names nothing, is most often a
 * variable of a script that isn't set: to take it as left out would end, or speak to, another session than was meant, or make a key
 * that may do more. For bytes that aren't UTF-8 Node has U+FFFD before anyone sees them: that names something else, or nothing, and is
 * not what somebody has to say; who means that very letter has it in a file. Whether there are words at all is the command's own to judge.
 * @throws FerryError usage
 */
export function checkGiven(command: Command): void {
  const given = givenTo(command);
  const empty = given.find(({ texts, kind }) => texts.includes("") && kind !== "rest");
  if (empty !== undefined) throw new FerryError("usage", `${empty.name} is empty`, { hint: "was it a variable that isn't set?" });
  for (const { name, texts, kind } of given) {
    const broken = texts.find((text) => text.includes("\uFFFD"));
    if (broken === undefined) continue;
    const what = `${name} isn't UTF-8, or has U+FFFD in it`;
    if (kind === "name") throw new FerryError("usage", `${what}: ${broken}`);
    const file = kind === "fields" ? "-F NAME=@FILE" : "-F FILE (-F - reads stdin)";
    throw new FerryError("usage", what, { hint: `give it in UTF-8, or in a file: ${file}` });
  }
}

function givenTo(command: Command): Given[] {
  const rest = command.registeredArguments.map((argument, at): Given => {
    const { variadic } = argument;
    return variadic
      ? { name: "the text", texts: command.args.slice(at), kind: "rest" }
      : { name: argument.name().toUpperCase(), texts: command.args.slice(at, at + 1), kind: "name" };
  });
  const all = command.optsWithGlobals<Record<string, unknown>>();
  const options = [command, ...ancestors(command)].flatMap((each) =>
    each.options.map((option): Given => {
      const key = option.attributeName();
      return {
        name: option.long ?? option.short ?? "",
        texts: [all[key]].flat().filter((value) => typeof value === "string"),
        kind: ofWords.includes(key) ? "words" : ofFields.includes(key) ? "fields" : "name",
      };
    }),
  );
  return [...rest, ...options];
}

function ancestors({ parent }: Command): Command[] {
  return parent === null ? [] : [parent, ...ancestors(parent)];
}
