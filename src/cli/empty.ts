import type { Command } from "commander";
import { FerryError } from "../base/errors.ts";

/**
 * An empty argument or option, or a list that names nothing, is most often a variable of a script that isn't set. To take it as left
 * out would end, or speak to, another session than was meant, or make a key that may do more. The words of a text are the command's
 * own to judge.
 * @throws FerryError usage that names the first one that was given and is empty
 */
export function refuseEmpty(command: Command): void {
  const argument = command.registeredArguments.find(({ variadic }, at) => !variadic && command.args[at] === "");
  const given = command.optsWithGlobals<Record<string, unknown>>();
  const option = [command, ...ancestors(command)]
    .flatMap(({ options }) => options)
    .find((known) => [given[known.attributeName()]].flat().includes(""));
  const name = argument?.name().toUpperCase() ?? option?.long ?? option?.short;
  if (name !== undefined) throw new FerryError("usage", `${name} is empty`, { hint: "was it a variable that isn't set?" });
}

function ancestors({ parent }: Command): Command[] {
  return parent === null ? [] : [parent, ...ancestors(parent)];
}
