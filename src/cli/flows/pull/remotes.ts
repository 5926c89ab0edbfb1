import { FerryError } from "../../../base/errors.ts";
import { listRemotes } from "../../../git/remotes.ts";
import type { Context } from "../../context.ts";
import { findPlace } from "../place/place.ts";
import { matchesOf } from "../place/remotes.ts";
import { type KnownRepository, visibleRepositories } from "../place/repository.ts";
import type { OpenSession } from "../session/select.ts";

/**
 * The names of the remotes here that are of the session's repository. Only those that the user configured: an address that the
 * service tells is none. Where the session doesn't tell its repository, those of any that the service has; where nothing can be
 * seen of these, the only remote that there is.
 */
export async function remotesOf(context: Context, open: OpenSession): Promise<string[]> {
  const place = await findPlace(context);
  const repositories = await repositoriesOfSession(open);
  if (repositories.length > 0) return [...new Set((await matchesOf(context, place, repositories)).map(({ remote }) => remote))];
  const names = (await listRemotes(context.git, place.folder)).map(({ name }) => name);
  return names.length === 1 ? names : [];
}

async function repositoriesOfSession({ connection, session }: OpenSession): Promise<KnownRepository[]> {
  const id = session.repository_id ?? "";
  if (id === "") return visibleRepositories(connection);
  try {
    return [await connection.client.readRepository({ params: { id } })];
  } catch (error) {
    if (error instanceof FerryError && (error.status === 403 || error.status === 404)) return [];
    throw error;
  }
}
