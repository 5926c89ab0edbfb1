import type { Host, Output } from "../../host/host.ts";
import { layOutHelp } from "./layout.ts";
import type { CommandNode } from "./node.ts";
import { requestedHelp } from "./request.ts";
import { commandTree } from "./tree.ts";

/** Prints the help that is asked for in plain words; false, and nothing, where something else is. */
export async function printHelp(argv: readonly string[], { terminal }: Host): Promise<boolean> {
  const program = await commandTree();
  const [word, ...rest] = argv[0] === "help" ? withoutFlags(argv.slice(1), program.options) : [];
  if (word !== undefined && rest.length === 0) {
    const { describeTopic } = await import("../topics.ts");
    const topic = describeTopic(word, terminal.stdout.columns);
    if (topic !== undefined) {
      await terminal.stdout.write(topic);
      return true;
    }
  }
  const asked = requestedHelp(argv, program);
  if (asked !== undefined) await terminal.stdout.write(layOutHelp(asked, program, terminal.stdout.columns));
  return asked !== undefined;
}

/** Without the flags that every command takes, which say nothing of what is asked for. */
function withoutFlags(words: readonly string[], options: CommandNode["options"]): string[] {
  const left: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const [flag, value] = word.split("=", 2);
    const option = options.find(({ long, short }) => flag === long || flag === short);
    if (option === undefined) left.push(word);
    else if (option.takesValue && value === undefined) at += 1;
  }
  return left;
}

/** The help of the command that `choose` finds in the program. */
export async function helpText(choose: (program: CommandNode) => CommandNode, { columns }: Output): Promise<string> {
  const program = await commandTree();
  return layOutHelp(choose(program), program, columns);
}
