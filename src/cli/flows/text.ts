import { join } from "node:path";
import { asFerryError, FerryError } from "../../base/errors.ts";
import { findFolders } from "../../base/folders.ts";
import { oneLine } from "../../base/text.ts";
import { shellWord } from "../../base/words.ts";
import type { Context } from "../context.ts";
import { readNamedFile } from "./file.ts";

/** Where what the user has to say is taken from, as `readText` takes it. */
interface Words {
  readonly words: readonly string[];
  readonly file: string | undefined;
  readonly what: string;
}

/**
 * Sends what the user has to say, read as `readText` does. What they wrote in their editor is kept where `send` fails, and they are
 * told where: it may be an hour's work.
 * @throws FerryError as readText does; what `send` throws
 */
export async function withText<Sent>(
  context: Context,
  { words, file, what }: Words,
  send: (text: string) => Promise<Sent>,
): Promise<Sent> {
  const text = await readText(context, words, file, what);
  try {
    return await send(text);
  } catch (error) {
    if (words.length === 0 && file === undefined) await keep(context, text);
    throw error;
  }
}

async function keep({ host, print }: Context, text: string): Promise<void> {
  const path = join(findFolders(host).state, "unsent", `${Buffer.from(host.random(4)).toString("hex")}.md`);
  try {
    await host.files.write(path, text);
  } catch (error) {
    return print.warn(`what you wrote could not be kept: ${asFerryError(error).message}`);
  }
  await print.warn(`what you wrote is kept: send it with -F ${shellWord(path)}`);
}

/**
 * What the user has to say: the words given, a file (`-` is stdin), or on a terminal what they write in their editor.
 * `what` names it in errors.
 * @throws FerryError usage where there is nothing, both words and a file, or a file that isn't UTF-8, or no text
 */
export async function readText(
  context: Context,
  words: readonly string[],
  file: string | undefined,
  what: string,
): Promise<string> {
  if (words.length > 0 && file !== undefined) throw new FerryError("usage", `${what}: give words or -F, not both`);
  const text = words.length > 0 ? words.join(" ") : await readFrom(context, file, what);
  // No service could keep it, nor hand it on: databases and arguments of programs end there.
  if (text.includes("\0")) throw new FerryError("usage", `${what} has a NUL byte in it`, { hint: "is it a file of text?" });
  if (text.trim() !== "") return text;
  throw new FerryError("usage", `${what} is empty`);
}

async function readFrom(context: Context, file: string | undefined, what: string): Promise<string> {
  const { host, interactive } = context;
  if (file === "-") return decoded(await host.terminal.stdin.read(), what);
  if (file !== undefined) return decoded(await readNamedFile(context, file), `${what} in ${oneLine(file)}`);
  if (interactive) return host.prompt.edit("", ".md");
  throw new FerryError("usage", `${what} is missing`, { hint: "give it as words, or with -F FILE (-F - reads stdin)" });
}

/** JSON can't carry other bytes (RFC 8259, 8.1), and a text with U+FFFD in their place is not what the user has to say. @throws FerryError usage */
export function decoded(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new FerryError("usage", `${what} isn't UTF-8`, { hint: "give it as UTF-8, see iconv", cause });
  }
}

/** Asks before something is ended. @throws FerryError usage where nobody can be asked, interrupted where the answer is no */
export async function confirm(context: Context, question: string): Promise<void> {
  if (!mustAsk(context, question)) return;
  if (!(await context.host.prompt.confirm(oneLine(question), false))) throw new FerryError("interrupted", "not done");
}

/** Asks for the name of what is to be deleted, which no stray key gives. @throws FerryError as confirm does */
export async function confirmByName(context: Context, question: string, name: string): Promise<void> {
  if (!mustAsk(context, question)) return;
  const shown = oneLine(name);
  const typed = await context.host.prompt.text(`${oneLine(question)} Type ${shown} to confirm:`);
  if (typed.trim() !== shown) throw new FerryError("interrupted", `not done: that is not ${shown}`);
}

function mustAsk({ global, interactive }: Context, question: string): boolean {
  if (global.yes) return false;
  if (interactive) return true;
  throw new FerryError("usage", `not done: ${question}`, { hint: "say so with --yes" });
}
