import type { CommandNode } from "./node.ts";

let tree: Promise<CommandNode> | undefined;

/**
 * The whole program as data. The build puts what `describeProgram` gives in the place of this module (test/tooling/build), so that
 * help and completion of the built program load neither the parser nor a command.
 */
export function commandTree(): Promise<CommandNode> {
  tree ??= import("./describe.ts").then(({ describeProgram }) => describeProgram());
  return tree;
}
