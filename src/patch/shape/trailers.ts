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
  for (const [at, message] of messages.entries()) await writeFile(join(folder, String(at)), withLineEnd(message));
  const add = async (lines: readonly string[], config: Readonly<Record<string, string>>) => {
    for (let from = 0; from < messages.length; from += atOnce) {
      const names = messages.slice(from, from + atOnce).map((_, at) => String(from + at));
      const args = ["interpret-trailers", "--in-place", "--no-divider", ...lines, ...names];
      await context.git.ok(args, {
        ...quarantine.options,
        cwd: folder,
        config: { ...config, ...noComments },
        signal: context.host.interrupt,
      });
    }
  };
  if (signer !== undefined) await add(signOff(signer), {});
  if (trailers.length > 0)
    await add(
      trailers.flatMap((line) => ["--trailer", line]),
      await trailerConfig(context),
    );
  const changed = await Promise.all(messages.map((_, at) => readFile(join(folder, String(at)))));
  await rm(folder, { recursive: true });
  return messages.map((message, at) => (changed[at]?.equals(withLineEnd(message)) === true ? message : (changed[at] ?? message)));
}

/** A line of a commit's message that begins with `#` is one like any other. git wants some character; with this one no text begins. */
const noComments = { "core.commentChar": "\u0001" };

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
