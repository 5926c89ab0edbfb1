import { FerryError } from "../../base/errors.ts";
import { harmless } from "../../base/text.ts";
import type { Host } from "../../host/host.ts";
import { makeContext, type Context } from "../context.ts";
import { commandTree } from "../help/tree.ts";
import type { GlobalOptions } from "../options.ts";
import { type Candidate, inLines } from "./candidate.ts";
import { lookUp } from "./look-up.ts";

/**
 * Prints what can stand in the place of the last of `words`, the words of a command line after `ferry` up to the cursor: a line
 * each, a tab before its description. Nothing where a file is meant, or nothing is known.
 */
export async function printCandidates(words: readonly string[], host: Host): Promise<void> {
  const context = makeContext(host, globalsIn(words.slice(0, -1)));
  const candidates = await complete(context, words).catch(unlessTold);
  await context.print.data(inLines(candidates.filter(isPlain)));
}

/** In characters; shells stand still over what is much longer. */
const longest = 200;

/** What a service calls its own may hold what a terminal obeys, or two lines: nobody would see what they take. */
function isPlain({ value }: Candidate): boolean {
  return value.length <= longest && harmless(value) === value && !/[\t\n]/u.test(value);
}

/** Logged out, a broken config: who presses Tab is told by the command itself, when they run it. */
function unlessTold(error: unknown): readonly Candidate[] {
  if (error instanceof FerryError) return [];
  throw error;
}

/** Of the options that came before, those that decide whom to ask. */
function globalsIn(words: readonly string[]): GlobalOptions {
  const given = (flag: string): string | undefined => {
    const at = words.findLastIndex((word) => word === flag || (flag.startsWith("--") && word.startsWith(`${flag}=`)));
    if (words[at] !== flag) return words[at]?.slice(flag.length + 1);
    // bash takes `--flag=value` apart.
    return words[at + 1] === "=" ? words[at + 2] : words[at + 1];
  };
  const [host, folder] = [given("--host"), given("-C")];
  return {
    ...(host !== undefined && { host }),
    ...(folder !== undefined && { C: folder }),
    json: false,
    showSecrets: false,
    quiet: true,
    verbose: false,
    input: false,
    color: "never",
    yes: false,
  };
}

async function complete(context: Context, words: readonly string[]): Promise<readonly Candidate[]> {
  const found = lookUp(await commandTree(), words);
  if (!("wanted" in found)) return found.candidates;
  // What is known of the program is known at once; what has to be looked up is loaded late.
  const { valuesFor } = await import("./values.ts");
  return found.choose(await valuesFor(context, found.wanted));
}
