import { resolve } from "node:path";
import { FerryError, UnwritableError } from "../../../base/errors.ts";
import { count, harmless, oneLine } from "../../../base/text.ts";
import type { PatchSource } from "../../../patch/source.ts";
import type { Manifest } from "../../../wire/patches.ts";
import type { Context } from "../../context.ts";
import { leftBehindError } from "../../flows/pull/left-behind.ts";
import { openSession } from "../../flows/session/select.ts";
import { makePatchSource } from "../../flows/source.ts";
import type { Verb } from "../../verb.ts";

export const patch: Verb = {
  name: "patch",
  summary: "Write a session's commits as a mailbox to stdout",
  description:
    'Write a session\'s commits as a mailbox to stdout, byte for byte as the service sends it (harmless on a terminal). For a plain series this does what ferry pull does, without its care: ferry patch | git am -k --keep-cr --no-scissors --empty=keep --patch-format=mboxrd. It is always the whole series: where some of it is here already, git am stops at that ("already exists in index"); ferry pull brings only what is new. With --json, the manifest: what each commit is, and how many bytes its patch has.',
  schema: [
    "repository_id",
    "object_format",
    "base_commit",
    "head_commit",
    "mailable",
    "reason",
    "left_behind",
    "items",
    "next_cursor",
  ],
  examples: ["ferry patch > work.mbox", "ferry patch --output-directory patches", "ferry patch --json"],
  paged: true,
  define: (command) =>
    void command.argument("[session]", "which one").option("--output-directory <dir>", "a file a commit: 0001-….patch"),
  async run(context, { outputDirectory }: { readonly outputDirectory?: string }, given?: string) {
    if (outputDirectory !== undefined) await checkOutput(context, outputDirectory);
    const { connection, session } = await openSession(context, given);
    if (!(await connection.client.capabilities()).has("patches"))
      throw new FerryError("failure", `${connection.name} doesn't send its commits`, {
        hint: "ferry pull brings them from the session's branch, or from its timeline (--source)",
      });
    const source = makePatchSource(connection.client, session.id, session.repository_id || undefined);
    const manifest = await source.manifest("");
    await write(context, source, manifest, outputDirectory);
    const left = manifest.left_behind === undefined ? undefined : oneLine(manifest.left_behind);
    const error = leftBehindError(left, { session });
    if (error !== undefined) throw error;
  },
};

/** @throws FerryError usage where something else than a folder is there */
async function checkOutput({ host: { files }, folder }: Context, given: string): Promise<void> {
  const path = resolve(folder, given);
  const status = await files.status((await files.realPath(path)) ?? path);
  if (status !== undefined && status.kind !== "folder") throw new FerryError("usage", `not a folder: ${oneLine(given)}`);
}

async function write(context: Context, source: PatchSource, manifest: Manifest, folder: string | undefined): Promise<void> {
  const { json } = context.global;
  if (json) await context.print.json(manifest);
  if (json && folder === undefined) return;
  if (manifest.items.length === 0) {
    await context.print.note("no commits yet");
    return;
  }
  if (!manifest.mailable)
    throw new FerryError("failure", `the series can't be a mailbox: ${manifest.reason}`, {
      hint: "ferry pull brings it all the same",
    });
  if (folder !== undefined) await writeFiles(context, source, manifest, resolve(context.folder, folder));
  else {
    const mbox = source.mbox("", manifest.head_commit);
    const { isTTY } = context.host.terminal.stdout;
    for await (const chunk of isTTY ? shown(mbox) : mbox) await context.print.data(chunk);
  }
}

/** A terminal, or the pager on it, gets all that comes from a service harmless. */
async function* shown(mbox: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  for await (const chunk of mbox) yield Buffer.from(harmless(decoder.decode(chunk, { stream: true })));
  yield Buffer.from(harmless(decoder.decode()));
}

/**
 * The manifest says how long each message is, so nothing has to be guessed from the text. All that names a file is the commit's own,
 * and each message is checked before it is written.
 * @throws FerryError failure where the service sends something else than it says
 */
async function writeFiles({ host, print }: Context, source: PatchSource, manifest: Manifest, folder: string): Promise<void> {
  const [{ readSeries }, { readMessages }] = await Promise.all([
    import("../../../patch/series/series.ts"),
    import("../../../patch/series/mails.ts"),
  ]);
  const { repository_id: repositoryId, base_commit: start, head_commit } = manifest;
  const objectFormat = manifest.object_format === "sha256" ? "sha256" : "sha1";
  const { items } = readSeries(manifest, { objectFormat, start, repositoryId });
  await host.files.makeFolder(folder, 0o755).catch(notOurs);
  let number = 0;
  for await (const { item, message } of readMessages(source.mbox("", head_commit), items)) {
    const name = `${String((number += 1)).padStart(4, "0")}-${fileName(item.subject)}.patch`;
    await host.files.write(resolve(folder, name), message, 0o644).catch(notOurs);
  }
  await print.note(`${count(items.length, "patch", "patches")} in ${folder}`);
}

/** Where ferry's own files can lie is no help for a folder that the user named. */
function notOurs(error: unknown): never {
  if (!(error instanceof UnwritableError)) throw error;
  throw new FerryError(error.kind, error.message, { cause: error });
}

/** As git format-patch names it: letters, digits, dot and underscore, all else a dash; at most 52 characters. */
function fileName(subject: string): string {
  return (
    subject
      .replace(/[^A-Za-z0-9._]+/gu, "-")
      .replace(/\.{2,}/gu, ".")
      .replace(/^[-.]+|[-.]+$/gu, "")
      .slice(0, 52) || "commit"
  );
}
