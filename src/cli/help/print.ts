import type { Host, Output } from "../../host/host.ts";
import { layOutHelp } from "./layout.ts";
import type { CommandNode } from "./node.ts";
import { requestedHelp } from "./request.ts";
import { commandTree } from "./tree.ts";

/** Prints the help that is asked for in plain words; false, and nothing, where something else is. */
export async function printHelp(argv: readonly string[], { terminal }: Host): Promise<boolean> {
  if (argv[0] === "help" && argv.length === 2) {
    const { describeTopic } = await import("../topics.ts");
    const topic = describeTopic(argv[1], terminal.stdout.columns);
    if (topic !== undefined) {
      await terminal.stdout.write(topic);
      return true;
    }
  }
  const program = await commandTree();
  const asked = requestedHelp(argv, program);
  if (asked !== undefined) await terminal.stdout.write(layOutHelp(asked, program, terminal.stdout.columns));
  return asked !== undefined;
}

/** The help of the command that `choose` finds in the program. */
export async function helpText(choose: (program: CommandNode) => CommandNode, { columns }: Output): Promise<string> {
  const program = await commandTree();
  return layOutHelp(choose(program), program, columns);
}
