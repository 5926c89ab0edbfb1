import type { Context } from "../../context.ts";
import type { Connection } from "../../flows/host/connect.ts";
import { findPlace } from "../../flows/place/place.ts";
import { type KnownRepository, repositoryHere, repositoryNamed } from "../../flows/place/repository.ts";

/** The repository that the user named; else the one of this working copy. */
export async function repositoryGiven(
  context: Context,
  connection: Connection,
  given: string | undefined,
): Promise<KnownRepository> {
  if (given !== undefined) return repositoryNamed(connection, given);
  return repositoryHere(context, connection, await findPlace(context), "as REPOSITORY");
}
