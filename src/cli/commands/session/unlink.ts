import { asFerryError, FerryError } from "../../../base/errors.ts";
import type { Context } from "../../context.ts";
import { passedOver } from "../../flows/host/choose.ts";
import { connect } from "../../flows/host/connect.ts";
import { findLinked, type LinkedPlace, removeLink } from "../../flows/place/link.ts";
import { forgetSession } from "../../flows/pull.ts";
import type { Verb } from "../../verb.ts";

type Link = NonNullable<LinkedPlace["link"]>;

export const unlink: Verb = {
  name: "unlink",
  summary: "Take the current branch's link to a session away",
  answer: ["session", "host"],
  description:
    "Take the current branch's link to a session away, and the refs below refs/ferry that remember what was pulled. Commits stay where they are; a later pull of the session begins anew. What was pulled can no longer be taken back by ferry pull --undo: do that before.",
  examples: ["ferry session unlink"],
  async run(context) {
    const { place, link } = await findLinked(context);
    const here = place.branch ?? "this detached HEAD";
    if (link === undefined) throw new FerryError("not_found", `${here} is linked to no session`);
    await removeLink(context, place);
    if (context.global.json) await context.print.json({ session: link.session, host: link.host ?? null });
    await context.print.note(`${here} is no longer linked to ${link.session}`);
    if (place.repository.workTree !== undefined) await forget(context, link, place.folder);
  },
};

/** Which refs they are is known with the session's own fields: where its service can't be asked, they stay, which harms nothing. */
async function forget(context: Context, link: Link, folder: string): Promise<void> {
  const { print } = context;
  try {
    const connection = await connect(await askingItsOwn(context, link), link.host);
    const session = await connection.client.readSession({ params: { sessionId: link.session } });
    const { loose, undo } = await forgetSession(context, { connection, session }, await isLinked(context, link.session, folder));
    if (undo) await print.note("its last pull can't be taken back by ferry pull --undo any more; its commits stay");
    if (loose !== undefined)
      await print.note(`no branch here has its commits any more; to keep them: git branch NAME ${loose.slice(0, 12)}`);
  } catch (error) {
    context.host.interrupt.throwIfAborted();
    await print.note(`what was remembered of its pulls stays below refs/ferry: ${asFerryError(error).message}`);
  }
}

/**
 * Where the user names another service, which doesn't know the session: the link's own one, as if none were named. FERRY_API_KEY, which is
 * for that other one, doesn't go along.
 */
async function askingItsOwn(context: Context, { host: linked }: Link): Promise<Context> {
  if ((await passedOver(context, linked)) === undefined) return context;
  const env = { ...context.host.env, FERRY_HOST: undefined, FERRY_API_KEY: undefined };
  const { host: named, ...global } = context.global;
  return { ...context, host: { ...context.host, env }, global };
}

/** Whether another branch is linked to it, too. */
async function isLinked({ git }: Context, session: string, folder: string): Promise<boolean> {
  const args = ["config", "--null", "--get-regexp", "^branch\\..*\\.ferrysession$"];
  const values = (await git.run(args, { cwd: folder })).stdout.toString("utf8").split("\0");
  return values.some((entry) => entry.slice(entry.indexOf("\n") + 1) === session);
}
