import { basename } from "node:path";
import { local } from "../../../auth/address.ts";
import { FerryError } from "../../../base/errors.ts";
import { textOf } from "../../../base/text.ts";
import { listAll } from "../../../client/pages.ts";
import type { Tolerant } from "../../../client/tolerant.ts";
import type { Repository } from "../../../wire/resources.ts";
import type { Context } from "../../context.ts";
import { hostArgument } from "../host/argument.ts";
import type { Connection } from "../host/connect.ts";
import { theOneNamed } from "../named.ts";
import type { Place } from "./place.ts";
import { matchesOf } from "./remotes.ts";

export type KnownRepository = Tolerant<Repository>;

/**
 * The service's repository that this working copy is of; nothing is written for it. `named` is how the command takes one by name.
 * @throws FerryError not_found where none matches, usage where several do, with their names
 */
export async function repositoryHere(
  context: Context,
  connection: Connection,
  place: Place,
  named: "with --repo" | "as REPOSITORY",
): Promise<KnownRepository> {
  const all = await listAll(connection.client.listRepositories);
  const matching = connection.host === local ? all.filter(isAt(place)) : await matchRemotes(context, place, all);
  const [only] = matching;
  if (only !== undefined && matching.length === 1) return only;
  const details = (matching.length > 0 ? matching : all).map(({ id, full_name }) => `${id}\t${textOf(full_name)}`);
  if (matching.length > 1)
    throw new FerryError("usage", "the remotes match several repositories", { details, hint: `name one of them ${named}` });
  const message =
    connection.host === local
      ? "the embedded service doesn't know this repository yet"
      : `no repository of ${connection.name} matches a remote of this working copy`;
  const hint = `register it with: ferry repo create${hostArgument(context)}${details.length > 0 ? `, or name one of these ${named}` : ""}`;
  throw new FerryError("not_found", message, { details, hint });
}

/** The same for work that is to begin there: with the embedded service it is registered where it isn't yet. */
export async function ensureRepositoryHere(context: Context, connection: Connection, place: Place): Promise<KnownRepository> {
  return connection.host === local
    ? localRepository(connection, place)
    : repositoryHere(context, connection, place, "with --repo");
}

/** The repositories that one of the working copy's remotes is of. */
export async function matchRemotes(context: Context, place: Place, all: readonly KnownRepository[]): Promise<KnownRepository[]> {
  return [...new Set((await matchesOf(context, place, all)).map(({ repository }) => repository))];
}

/** Whether this working copy is of that repository. */
export async function isOf(
  context: Context,
  { host }: Connection,
  { place, repository }: { readonly place: Place; readonly repository: KnownRepository },
): Promise<boolean> {
  return host === local ? isAt(place)(repository) : (await matchRemotes(context, place, [repository])).length > 0;
}

/** The repositories that this working copy is of, among those that the key may see. */
export async function repositoriesOf(context: Context, connection: Connection, place: Place): Promise<KnownRepository[]> {
  const all = await visibleRepositories(connection);
  return connection.host === local ? all.filter(isAt(place)) : matchRemotes(context, place, all);
}

/** All that the key may see: to say more of a session, for which it needs no scope of theirs. */
export async function visibleRepositories({ client }: Connection): Promise<KnownRepository[]> {
  try {
    return await listAll(client.listRepositories);
  } catch (error) {
    if (error instanceof FerryError && error.status === 403) return [];
    throw error;
  }
}

/** One that the user named: `owner/name`, or its id. */
export async function repositoryNamed(connection: Connection, given: string): Promise<KnownRepository> {
  const all = await listAll(connection.client.listRepositories);
  const called = all.filter(({ full_name }) => textOf(full_name).toLowerCase() === given.toLowerCase());
  const about = ({ full_name, clone_url }: KnownRepository) => [full_name, clone_url];
  return theOneNamed(given, { all, called, about }, { one: "repository", several: "repositories", noun: "repo" }, connection);
}

/** Two clones are two repositories: what counts is where it lies. */
async function localRepository({ client }: Connection, place: Place): Promise<KnownRepository> {
  const { commonDir, workTree } = place.repository;
  const known = (await listAll(client.listRepositories)).find(isAt(place));
  if (known !== undefined) return known;
  const name = basename(workTree ?? commonDir);
  return client.createRepository({
    body: { name, full_name: `local/${name}`, clone_url: commonDir, platform: "git", default_branch: place.branch ?? "" },
  });
}

function isAt({ repository }: Place): (known: KnownRepository) => boolean {
  return ({ clone_url }) => clone_url === repository.commonDir;
}
