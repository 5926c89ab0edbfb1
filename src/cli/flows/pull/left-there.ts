import { asFerryError } from "../../../base/errors.ts";
import { count, oneLine } from "../../../base/text.ts";
import type { Context } from "../../context.ts";
import type { OpenSession } from "../session/select.ts";
import { makePatchSource, readUncommitted } from "../source.ts";

/**
 * Says what a session leaves in its sandbox: one that commits nothing by itself, or whose turn was `cutShort`, which nothing commits
 * either. That it can't be known is no failure of what went before.
 */
export async function tellLeftThere({ print, global }: Context, open: OpenSession, cutShort = false): Promise<void> {
  const { client } = open.connection;
  const { session } = open;
  const mayBe =
    session.auto_commit === false || cutShort || session.agent_status === "failed" || session.agent_status === "stopped";
  if (!mayBe || !(await client.capabilities()).has("uncommitted")) return;
  try {
    const { patch } = await readUncommitted(client, session.id);
    const files =
      Buffer.from(patch, "base64")
        .toString("latin1")
        .match(/^diff --git /gmu)?.length ?? 0;
    if (files === 0) return;
    const what = files === 1 ? "1 file is" : `${count(files, "file")} are`;
    await print.note(`${what} not committed in the sandbox: ferry pull --uncommitted`);
  } catch (error) {
    if (global.verbose) await print.warn(`whether something is not committed in the sandbox: ${asFerryError(error).message}`);
  }
}

/** What of the sandbox's commits no pull can bring, a line; undefined for nothing. That it can't be known is no failure either. */
export async function readLeftBehind({ print, global, host }: Context, open: OpenSession): Promise<string | undefined> {
  const { client } = open.connection;
  const { id, head_commit: head, repository_id: repository, status } = open.session;
  // Of a session that is over the sandbox is gone.
  if (status !== "active" || typeof head !== "string" || !(await client.capabilities()).has("patches")) return undefined;
  try {
    // Behind its newest commit nothing else is to be told.
    const { left_behind: left } = await makePatchSource(client, id, repository || undefined).manifest(head);
    return left === undefined ? undefined : oneLine(left);
  } catch (error) {
    host.interrupt.throwIfAborted();
    if (global.verbose) await print.warn(`whether commits are left in the sandbox: ${asFerryError(error).message}`);
    return undefined;
  }
}
