import { isLocal, isNameOf, local } from "../../../auth/address.ts";
import { readBranchLinks } from "../../../git/config.ts";
import type { Context } from "../../context.ts";
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
