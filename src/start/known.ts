import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inLines } from "../cli/complete/candidate.ts";
import { lookUp } from "../cli/complete/look-up.ts";
import { layOutHelp } from "../cli/help/layout.ts";
import type { CommandNode } from "../cli/help/node.ts";
import { requestedHelp } from "../cli/help/request.ts";

/**
 * What can be said of the commands themselves without running any: the help of one, and words of the command line. The build has
 * described them all in `folder`. Undefined for all else; what is wrong is the program's to say.
 */
export function knownAnswer(argv: readonly string[], folder: string, columns: () => number): string | undefined {
  const [word] = argv;
  const completes = word === "complete" && argv[1] === "--";
  if (!completes && !(argv.length === 0 || word === "help" || ["--help", "-h"].includes(argv.at(-1) ?? ""))) return undefined;
  const program = JSON.parse(readFileSync(join(folder, "tree.json"), "utf8")) as CommandNode;
  if (completes) {
    const found = lookUp(program, argv.slice(2));
    return "wanted" in found ? undefined : inLines(found.candidates);
  }
  const asked = requestedHelp(argv, program);
  return asked && layOutHelp(asked, program, columns());
}
