import { textOf } from "../../../base/text.ts";
import type { Connection } from "../host/connect.ts";
import { visibleRepositories } from "../place/repository.ts";

/** The names of the sessions' repositories by their ids. Asked for only where there is something to name: the seed's sessions tell none. */
export async function repositoryNames(
  connection: Connection,
  sessions: readonly { readonly repository_id?: string | null | undefined }[],
): Promise<ReadonlyMap<string, string>> {
  if (!sessions.some(({ repository_id }) => Boolean(repository_id))) return new Map();
  const all = await visibleRepositories(connection);
  return new Map(all.map(({ id, full_name }) => [id, textOf(full_name) || id]));
}
