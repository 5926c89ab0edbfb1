import { isLocal, isNameOf, local } from "../../../auth/address.ts";
import { FerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import { type BranchLink, readBranchLinks } from "../../../git/config.ts";
import type { Context } from "../../context.ts";
import { passedOver } from "../host/choose.ts";
import type { Connection } from "../host/connect.ts";

/**
 * The id of the session that the local branch of that name is linked to, where it is one of that service; undefined outside of a
 * repository, too. What a link names need not be there any more.
 * @throws FerryError failure for a configuration that git can't read
 */
export async function linkedTo({ git, folder }: Context, { host }: Connection, branch: string): Promise<string | undefined> {
  const link = (await readBranchLinks(git, folder))(branch);
  if (link === undefined || !isOf(link.host, host)) return undefined;
  return link.session;
}

/** Written by hand, a link has a host by its name, or none. */
function isOf(linked: string | undefined, host: string): boolean {
  if (linked === undefined || linked === host) return true;
  return host === local ? isLocal(linked) : isNameOf(linked, host);
}

/**
 * A link's session is one of the link's own service: another one that the user names isn't asked for it, since all that it could say is
 * that there is none.
 * @throws FerryError not_found where --host or FERRY_HOST names another
 */
export async function requireLinkedHost(context: Context, { session, host }: BranchLink): Promise<void> {
  const other = await passedOver(context, host);
  if (other === undefined) return;
  const { by, asked, there, known } = other;
  const ways = [
    ...(known === undefined ? [] : [`--host ${known}`]),
    ...(by === "FERRY_HOST" ? ["unset FERRY_HOST"] : known === undefined ? ["leave --host out"] : []),
  ];
  throw new FerryError("not_found", `this branch is linked to ${oneLine(session)} on ${there}, and ${by} names ${asked}`, {
    hint: `for that one: ${ways.join(", or ")}; for one on ${asked}, name it`,
  });
}
