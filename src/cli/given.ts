import type { Command } from "commander";
import { FerryError } from "../base/errors.ts";

/** What was given for an argument or an option. */
interface Given {
  readonly name: string;
  readonly texts: readonly string[];
  /** Somebody's words, or what is sent as it is: U+FFFD may be meant there. */
  readonly isText: boolean;
}

/** Options that take texts. */
const ofTexts: readonly string[] = ["message", "prompt", "field", "typedField", "jq"];

/**
 * Refuses what nobody can have meant, the first of it. An empty argument or option, or a list that names nothing, is most often a
 * variable of a script that isn't set: to take it as left out would end, or speak to, another session than was meant, or make a key
 * that may do more. For bytes that aren't UTF-8 Node has U+FFFD before anyone sees them: that names something else, or nothing. The words
 * of a text are the command's own to judge.
 * @throws FerryError usage
 */
export function checkGiven(command: Command): void {
  const given = givenTo(command);
  const empty = given.find(({ texts }) => texts.includes(""));
  if (empty !== undefined) throw new FerryError("usage", `${empty.name} is empty`, { hint: "was it a variable that isn't set?" });
  for (const { name, texts, isText } of given) {
    const broken = isText ? undefined : texts.find((text) => text.includes("\uFFFD"));
    if (broken !== undefined) throw new FerryError("usage", `${name} isn't UTF-8, or has U+FFFD in it: ${broken}`);
  }
}

function givenTo(command: Command): Given[] {
  const words = command.registeredArguments.map((argument, at) => ({
    name: argument.name().toUpperCase(),
    texts: argument.variadic ? [] : command.args.slice(at, at + 1),
    isText: argument.variadic,
  }));
  const all = command.optsWithGlobals<Record<string, unknown>>();
  const options = [command, ...ancestors(command)].flatMap((each) =>
    each.options.map((option) => ({
      name: option.long ?? option.short ?? "",
      texts: [all[option.attributeName()]].flat().filter((value) => typeof value === "string"),
      isText: ofTexts.includes(option.attributeName()),
    })),
  );
  return [...words, ...options];
}

function ancestors({ parent }: Command): Command[] {
  return parent === null ? [] : [parent, ...ancestors(parent)];
}
