import { type CommandNode, named } from "./node.ts";

/**
 * The command whose help is asked for in plain words: nothing at all, `--help` after its name or `help` before it. Undefined for
 * what else there may be on the line, which is the parser's to judge.
 */
export function requestedHelp(argv: readonly string[], program: CommandNode): CommandNode | undefined {
  const words = argv[0] === "help" ? argv.slice(1) : isHelpFlag(argv.at(-1)) ? argv.slice(0, -1) : argv;
  if (words === argv && argv.length > 0) return undefined;
  return words.reduce<CommandNode | undefined>((node, word) => node && named(node.commands, word), program);
}

function isHelpFlag(word: string | undefined): boolean {
  return word === "--help" || word === "-h";
}
