import { asFerryError } from "../../../base/errors.ts";
import { count } from "../../../base/text.ts";
import type { Context } from "../../context.ts";
import type { OpenSession } from "../session/select.ts";
import { readUncommitted } from "../source.ts";

/** Says what a session that commits nothing by itself leaves in its sandbox. That it can't be known is no failure of what went before. */
export async function tellLeftThere({ print, global }: Context, { connection, session }: OpenSession): Promise<void> {
  const { client } = connection;
  if (session.auto_commit !== false || !(await client.capabilities()).has("uncommitted")) return;
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
