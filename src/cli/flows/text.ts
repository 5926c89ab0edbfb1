import { FerryError } from "../../base/errors.ts";
import type { Context } from "../context.ts";
import { readNamedFile } from "./file.ts";

/**
 * What the user has to say: the words given, a file (`-` is stdin), or on a terminal what they write in their editor.
 * `what` names it in errors.
 * @throws FerryError usage where there is nothing, or both words and a file
 */
export async function readText(
  context: Context,
  words: readonly string[],
  file: string | undefined,
  what: string,
): Promise<string> {
  if (words.length > 0 && file !== undefined) throw new FerryError("usage", `${what}: give words or -F, not both`);
  const text = words.length > 0 ? words.join(" ") : await readFrom(context, file, what);
  if (text.trim() !== "") return text;
  throw new FerryError("usage", `${what} is empty`);
}

async function readFrom(context: Context, file: string | undefined, what: string): Promise<string> {
  const { host, interactive } = context;
  if (file === "-") return new TextDecoder().decode(await host.terminal.stdin.read());
  if (file !== undefined) return new TextDecoder().decode(await readNamedFile(context, file));
  if (interactive) return host.prompt.edit("", ".md");
  throw new FerryError("usage", `${what} is missing`, { hint: "give it as words, or with -F FILE (-F - reads stdin)" });
}

/** Asks before something is destroyed. @throws FerryError usage where nobody can be asked, interrupted where the answer is no */
export async function confirm({ global, interactive, host }: Context, question: string): Promise<void> {
  if (global.yes) return;
  if (!interactive) throw new FerryError("usage", `not done: ${question}`, { hint: "say so with --yes" });
  if (!(await host.prompt.confirm(question, false))) throw new FerryError("interrupted", "not done");
}
