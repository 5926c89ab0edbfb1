import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PullContext } from "../context.ts";
import type { Quarantine } from "../quarantine.ts";
import type { Shape } from "./shape.ts";

/** So many names fit on any system's command line. */
const atOnce = 1000;

/**
 * Messages with what is to stand at their end: the sign-off first, then the trailers, as git commit puts them. git-interpret-trailers(1)
 * says what a block of trailers is. `signer` is the user as `Ada <ada@example.com>`, one character a byte, where they sign off.
 */
export async function withTrailers(
  messages: readonly Buffer[],
  { signer, trailers = [] }: Pick<Shape, "trailers"> & { readonly signer: string | undefined },
  quarantine: Quarantine,
  context: PullContext,
): Promise<Buffer[]> {
  const folder = join(quarantine.folder, "messages");
  await mkdir(folder, { mode: 0o700 });
  const chars = messages.map(freeChar);
  const given = messages.map((message, at) => (chars[at] === undefined ? standIn : withLineEnd(message)));
  for (const [at, text] of given.entries()) await writeFile(join(folder, String(at)), text);
  const add = async (lines: readonly string[], config: Readonly<Record<string, string>>) => {
    for (const [char, names] of groupsOf(chars))
      await context.git.ok(["interpret-trailers", "--in-place", "--no-divider", ...lines, ...names], {
        ...quarantine.options,
        cwd: folder,
        config: { ...config, "core.commentChar": char },
        signal: context.host.interrupt,
      });
  };
  if (signer !== undefined) await add(signOff(signer), {});
  if (trailers.length > 0)
    await add(
      trailers.flatMap((line) => ["--trailer", line]),
      await trailerConfig(context),
    );
  const made = await Promise.all(messages.map((_, at) => readFile(join(folder, String(at)))));
  await rm(folder, { recursive: true });
  return messages.map((message, at) => {
    const now = made[at];
    if (now === undefined || now.equals(given[at] ?? now)) return message;
    return chars[at] === undefined ? Buffer.concat([withLineEnd(message), now.subarray(standIn.length)]) : now;
  });
}

/**
 * git takes lines that begin with some character for comments, and drops those among the trailers; a commit's message has none. No
 * trailer's key begins with one of these.
 */
const commentChars = Array.from("\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\u000e\u000f#;!$%&*+,./:<=>?@^_`|~");
/** For a message whose lines begin with all of them: a block of its own then stands at its end. */
const standIn = Buffer.from("x\n");

/** The first that no line of a message begins with. */
function freeChar(message: Buffer): string | undefined {
  const text = `\n${message.toString("latin1")}`;
  return commentChars.find((char) => !text.includes(`\n${char}`));
}

/** The files that can go to one git together, as few gits as can be. */
function* groupsOf(chars: readonly (string | undefined)[]): Generator<[char: string, names: readonly string[]]> {
  for (const char of new Set(chars.map(orFirst))) {
    const names = chars.flatMap((each, at) => (orFirst(each) === char ? [String(at)] : []));
    for (let from = 0; from < names.length; from += atOnce) yield [char, names.slice(from, from + atOnce)];
  }
}

function orFirst(char: string | undefined): string {
  return char ?? commentChars[0] ?? "#";
}

/** Where it is the last trailer already, it isn't added: so git does (append_signoff in its sequencer.c). */
function signOff(signer: string): string[] {
  const name = Buffer.from(signer, "latin1").toString("utf8");
  return ["--where=end", "--if-exists=addIfDifferentNeighbor", "--if-missing=add", "--trailer", `Signed-off-by: ${name}`];
}

function withLineEnd(message: Buffer): Buffer {
  return message.length === 0 || message.at(-1) === 10 ? message : Buffer.concat([message, Buffer.from("\n")]);
}

/**
 * The user's own `trailer.*`, which say what keys are short for and where they go. Not the commands among them: git runs those for
 * every message, also those that nobody asked for, and writes text of the message, which is the agent's here, into the shell's line.
 */
async function trailerConfig({ git, repository }: PullContext): Promise<Record<string, string>> {
  const { gitDir, workTree } = repository;
  const result = await git.run(["config", "--null", "--get-regexp", "^trailer\\."], { cwd: workTree, gitDir, workTree });
  const entries = result.stdout
    .toString("utf8")
    .split("\0")
    .map((entry): [string, string] => {
      const end = entry.indexOf("\n");
      return end < 0 ? [entry, ""] : [entry.slice(0, end), entry.slice(end + 1)];
    });
  return Object.fromEntries(entries.filter(([name]) => name !== "" && !name.includes("=") && !/\.(command|cmd)$/u.test(name)));
}
