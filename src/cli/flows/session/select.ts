import { FerryError } from "../../../base/errors.ts";
import { isShortStart, shortestStart, withIdLike } from "../../../base/ids.ts";
import { count, cut, oneLine, textOf } from "../../../base/text.ts";
import { listAll } from "../../../client/pages.ts";
import type { Tolerant } from "../../../client/tolerant.ts";
import type { Session } from "../../../wire/resources.ts";
import { readConfig } from "../../config/config.ts";
import type { Context } from "../../context.ts";
import { connect, type Connection } from "../host/connect.ts";
import { hasKeySet } from "../host/choose.ts";
import { wayToOthers } from "../login/same.ts";
import { findLinkedIfAny, type LinkedPlace } from "../place/link.ts";
import type { Place } from "../place/place.ts";
import { repositoriesOf } from "../place/repository.ts";
import { whileWaiting } from "../waiting.ts";
import { connectFor, readPage } from "./address.ts";
import { candidate, chooseOne } from "./candidates.ts";
import { linkedTo, requireLinkedHost } from "./linked.ts";
import { repositoryNames } from "./repositories.ts";

export type KnownSession = Tolerant<Session>;

/** A session and the service that has it. */
export interface OpenSession {
  readonly connection: Connection;
  readonly session: KnownSession;
  /** It is the one that commands mean which name none. */
  readonly isOurs?: boolean;
}

/**
 * The session that `given` names (an id or the start of one, its branch, a local branch that is linked to it, a portal
 * address, `-` for the newest). Where nothing is
 * given: FERRY_SESSION, the link of the current branch, the one whose branch and repository are those here, a choice.
 * `known` is the working copy here, where the caller has found it already; `how` is the command that names one, where it isn't an argument.
 * @throws FerryError not_found where nothing matches, or the link is to another host than the one that is named; usage with the
 *   candidates where several do
 */
export async function openSession(
  context: Context,
  given: string | undefined,
  known?: LinkedPlace,
  how?: string,
): Promise<OpenSession> {
  if (given !== undefined) return openNamed(context, given);
  const preset = context.host.env["FERRY_SESSION"];
  if (preset !== undefined && preset !== "") return { ...(await openNamed(context, preset)), isOurs: true };
  const { place, link } = known ?? (await findLinkedIfAny(context)) ?? {};
  if (link !== undefined) await requireLinkedHost(context, link);
  const connection = await connect(context, link?.host ?? null);
  const waiting = <T>(work: () => Promise<T>): Promise<T> => whileWaiting(context, connection.name, work);
  if (link !== undefined)
    return { connection, session: await waiting(() => readLinked(context, connection, link.session)), isOurs: true };
  const here = place && (await waiting(() => sessionHere(context, connection, place)));
  return here === undefined
    ? { connection, session: await chooseSession(context, connection, place, how) }
    : { connection, session: here, isOurs: true };
}

/** @throws FerryError not_found, with what takes the link away, where its session is gone; else what the service says */
async function readLinked(context: Context, connection: Connection, sessionId: string): Promise<KnownSession> {
  const { client, name } = connection;
  try {
    return await client.readSession({ params: { sessionId } });
  } catch (error) {
    if (!(error instanceof FerryError) || error.kind !== "not_found") throw error;
    const others = await othersThere(context, connection);
    throw new FerryError("not_found", `${name} has no session ${oneLine(sessionId)}, which this branch is linked to`, {
      hint: others === "" ? "name another one, or: ferry session unlink" : `${others}; or ferry session unlink`,
      status: error.status,
      code: error.code,
      cause: error,
    });
  }
}

async function openNamed(context: Context, named: string): Promise<OpenSession> {
  const page = readPage(named);
  const connection = page === undefined ? await connect(context) : await connectFor(context, page);
  const given = page?.id ?? named;
  return { connection, session: await whileWaiting(context, connection.name, () => findSession(context, connection, given)) };
}

async function findSession(context: Context, connection: Connection, given: string): Promise<KnownSession> {
  const { client, name } = connection;
  const read = (sessionId: string) => client.readSession({ params: { sessionId } }).catch(unlessMissing);
  const whole = given === "-" || given.length > longestId ? undefined : await read(given);
  if (whole !== undefined) return whole;
  const all = await listAll(client.listSessions);
  if (given === "-") {
    const newest = all.toSorted(byCreation)[0];
    if (newest !== undefined) return newest;
    throw new FerryError("not_found", `there is no session on ${name}`, { hint: 'start one: ferry run "what to do"' });
  }
  const starting = withIdLike(all, given);
  const matching = starting.length > 0 ? starting : all.filter(({ branch_name }) => branch_name === given);
  const only = onlyOne(matching, `"${told(given)}"`);
  if (only !== undefined) return only;
  const link = await linkedTo(context, connection, given);
  const linked = link === undefined ? undefined : await read(link);
  if (linked !== undefined) return linked;
  const others = await othersThere(context, connection);
  return notFound(connection, `${name} has no session "${told(given)}"`, { given, others });
}

/** In characters: a service isn't asked for what no id is, and would refuse the address of it. */
const longestId = 500;

/** As much as tells what was given, in an error. */
function told(given: string): string {
  return cut(oneLine(given), 100);
}

/** The way to other logins there; a key of the environment is none of them. */
async function othersThere(context: Context, { host }: Connection): Promise<string> {
  return (await hasKeySet(context, host)) ? "" : wayToOthers((await readConfig(context.host)).hosts, host);
}

/** The one whose branch is the current one and whose repository is one of the remotes', where sessions tell theirs. */
async function sessionHere(context: Context, connection: Connection, place: Place): Promise<KnownSession | undefined> {
  if (place.branch === undefined) return undefined;
  const sameBranch = (await listAll(connection.client.listSessions)).filter(({ branch_name }) => branch_name === place.branch);
  if (sameBranch.every(({ repository_id }) => repository_id === undefined || repository_id === null))
    return onlyOne(sameBranch, `the branch ${place.branch}`);
  return onlyOne(await ofRepository(context, connection, { place, sessions: sameBranch }), `the branch ${place.branch}`);
}

async function chooseSession(
  context: Context,
  connection: Connection,
  place: Place | undefined,
  how: string | undefined,
): Promise<KnownSession> {
  const { recent, names, ours } = await whileWaiting(context, connection.name, async () => {
    const recent = (await listAll(connection.client.listSessions)).toSorted(byCreation);
    const names = await repositoryNames(connection, recent);
    const ours = place === undefined ? [] : await ofRepository(context, connection, { place, sessions: recent });
    return { recent, names, ours };
  });
  if (recent.length === 0) return notFound(connection, `there is no session on ${connection.name}`);
  if (context.interactive) {
    const offered = [...ours, ...recent.filter((session) => !ours.includes(session))];
    return chooseOne(context, offered, names);
  }
  const shown = (ours.length > 0 ? ours : recent).slice(0, 10);
  const more = recent.length - shown.length;
  const why = place === undefined ? `${oneLine(context.folder)} is not in a git repository` : "this branch is linked to none";
  throw new FerryError("usage", `no session is named, and ${why}`, {
    details: [
      ...shown.map((session) => candidate(session, names)),
      ...(more > 0 ? [`and ${count(more, "other")}: ferry session list${connection.argument}`] : []),
    ],
    hint: how === undefined ? `name one: ${waysToName}` : `name one (${waysToName}): ${how}`,
  });
}

const waysToName = "its id, a branch, or - for the newest";

/** Those that are of the repository here, where they tell theirs. */
async function ofRepository(
  context: Context,
  connection: Connection,
  { place, sessions }: { readonly place: Place; readonly sessions: readonly KnownSession[] },
): Promise<KnownSession[]> {
  if (!sessions.some(({ repository_id }) => Boolean(repository_id))) return [];
  const ids = new Set((await repositoriesOf(context, connection, place)).map(({ id }) => id));
  return sessions.filter(({ repository_id }) => ids.has(repository_id ?? ""));
}

function onlyOne(sessions: readonly KnownSession[], what: string): KnownSession | undefined {
  if (sessions.length <= 1) return sessions[0];
  throw new FerryError("usage", `${what} could be several sessions`, {
    details: sessions.map((session) => candidate(session)),
    hint: "name one by its id",
  });
}

function notFound({ argument }: Connection, message: string, { given = "", others = "" } = {}): never {
  const isShort = given !== "" && isShortStart(given);
  const start = isShort ? `; the start of an id is ${shortestStart} characters or more, its prefix not counted` : "";
  const hint = `see ferry session list${argument}${start}${others && `; ${others}`}`;
  throw new FerryError("not_found", message, { hint });
}

/** The newest first. By their code units, as ISO times sort: the tables of `localeCompare` take 20 ms to load. */
export function byCreation(one: KnownSession, other: KnownSession): number {
  const [mine, its] = [textOf(one.created_at), textOf(other.created_at)];
  return mine === its ? 0 : mine > its ? -1 : 1;
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof FerryError && [400, 404, 405, 422].includes(error.status ?? 0)) return undefined;
  throw error;
}
