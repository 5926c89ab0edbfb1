import { local } from "../../../auth/address.ts";
import { FerryError } from "../../../base/errors.ts";
import { textOf } from "../../../base/text.ts";
import type { Client } from "../../../client/client.ts";
import type { Context } from "../../context.ts";
import { chooseAgent, listAgents } from "../local/agents.ts";
import { findBase, notInSandbox, tellMissing, type Base } from "../place/base.ts";
import { hostArgument } from "../host/argument.ts";
import { connect, type Connection } from "../host/connect.ts";
import { writeLink } from "../place/link.ts";
import { checkBranchName } from "../place/branch-name.ts";
import { findPlaceIfAny, type Place } from "../place/place.ts";
import { ensureRepositoryHere, isOf, repositoryNamed, type KnownRepository } from "../place/repository.ts";
import type { StartOptions } from "./options.ts";
import { mayHaveArrived } from "./message.ts";
import { namingSetting, sessionRefused } from "./refused.ts";
import type { OpenSession } from "./select.ts";

export interface StartedSession extends OpenSession {
  /** The working copy that is now linked to it; undefined outside of one. */
  readonly place: Place | undefined;
  /** What its service said it can do. */
  readonly capabilities: ReadonlySet<string>;
}

/**
 * Makes a session for this working copy (or the named repository) and links the current branch to it; says first where and on
 * what. `check` may refuse the service before anything is made there.
 */
export async function startSession(
  context: Context,
  options: StartOptions,
  check?: (connection: Connection) => Promise<void>,
): Promise<StartedSession> {
  await checkBranchName(context, options.branch);
  const place = await findPlaceIfAny(context);
  const connection = await connect(context, undefined, { silent: true });
  await check?.(connection);
  const agent = options.model === undefined && connection.host === local ? await chooseAgent(context) : undefined;
  const model = options.model ?? agent?.name;
  const capabilities = await connection.client.capabilities();
  const extended = capabilities.has("sessions");
  if (!extended) refuseUntaken(connection, options);
  const repository = extended ? await chooseRepository(context, connection, options.repo, place) : undefined;
  // What a branch is called here says nothing of another repository's.
  const isElsewhere =
    options.repo !== undefined &&
    place !== undefined &&
    repository !== undefined &&
    !(await isOf(context, connection, { place, repository }));
  const here = isElsewhere ? undefined : place;
  const base = extended ? await chooseBase(context, connection, here, options.base) : undefined;
  await announce(context, { connection, repository, base, place: here });
  const session = await createSession(context, connection, {
    body: {
      ...(options.autoCommit === undefined ? {} : { auto_commit: options.autoCommit }),
      ...(options.branch === undefined ? {} : { branch_name: options.branch }),
      ...(model === undefined ? {} : { model }),
      ...(repository === undefined ? {} : { repository_id: repository.id }),
      ...(base === undefined || base.branch === "" ? {} : { base_branch: base.branch }),
      ...(base?.commit === undefined ? {} : { base_commit: base.commit }),
    },
  }).catch((error: unknown) => {
    throw namingSetting(error, agent?.from);
  });
  await context.print.note(`session: ${session.id}`);
  if (place !== undefined) await writeLink(context, place, { session: session.id, host: connection.host });
  // What the environment names goes before the link.
  return { connection, session, place, capabilities, isOurs: place !== undefined && !context.host.env["FERRY_SESSION"] };
}

/** An embedded service that runs already has the environment that it was started with: other keys and programs than this one, perhaps. */
async function createSession(context: Context, connection: Connection, call: Parameters<Client["createSession"]>[0]) {
  const { host } = context;
  const { client, host: where } = connection;
  try {
    host.interrupt.throwIfAborted();
    return await client.createSession(call);
  } catch (error) {
    if (error instanceof FerryError && (error === host.interrupt.reason || mayHaveArrived(error)))
      throw new FerryError(error.kind, `${error.message}; whether the session was made is not known`, {
        status: error.status,
        code: error.code,
        hint: `see with: ferry session list${hostArgument(context)}`,
        cause: error,
      });
    if (!(error instanceof FerryError) || error.code !== "agent_not_ready" || where !== local)
      throw sessionRefused(error, connection, call?.body ?? {});
    const { message, kind, status, code } = error;
    const here = (await listAgents(host)).find(({ name }) => name === call?.body?.model?.split(":", 1)[0]);
    const hint =
      here?.ready === true
        ? "the service runs with an older environment; stop it, and try again: ferry service stop"
        : error.hint;
    throw new FerryError(kind, message, { status, code, hint, cause: error });
  }
}

/** A service of the seed alone shows no field for these: a session on another repository is not what was asked for. */
function refuseUntaken({ name }: Connection, { repo, base }: StartOptions): void {
  const [flag, what] = repo === undefined ? ["--base", "the branch to start from"] : ["--repo", "the repository"];
  if (repo === undefined && base === undefined) return;
  throw new FerryError("failure", `${name} chooses ${what} of a session itself`, { hint: `leave ${flag} out` });
}

/** Where there is no working copy of it, the service finds the commit of a branch that is named. */
async function chooseBase(
  { git }: Context,
  { host }: Connection,
  place: Place | undefined,
  wanted: string | undefined,
): Promise<Base | undefined> {
  if (place !== undefined) return findBase(git, place, host, wanted);
  return wanted === undefined ? undefined : { branch: wanted, commit: undefined };
}

async function chooseRepository(
  context: Context,
  connection: Connection,
  named: string | undefined,
  place: Place | undefined,
): Promise<KnownRepository | undefined> {
  if (named !== undefined) return repositoryNamed(connection, named);
  return place === undefined ? undefined : ensureRepositoryHere(context, connection, place);
}

interface Start {
  readonly connection: Connection;
  readonly repository: KnownRepository | undefined;
  readonly base: Base | undefined;
  readonly place: Place | undefined;
}

async function announce({ print, git, host }: Context, { connection, repository, base, place }: Start): Promise<void> {
  await print.note(connection.line);
  if (connection.unlocked !== undefined) await print.note(connection.unlocked);
  await print.note(
    `repository: ${repository === undefined ? "the service's choice" : textOf(repository.full_name) || repository.id}`,
  );
  await print.note(`base: ${base === undefined ? "the service's choice" : describeBase(base)}`);
  if (place === undefined || base === undefined) return;
  const missing = tellMissing(await notInSandbox({ git, env: host.env }, place, base), connection.host);
  if (missing !== undefined) await print.note(missing);
}

function describeBase({ branch, commit }: Base): string {
  if (commit === "") return `${branch} (no commits yet)`;
  return [branch, commit?.slice(0, 12) ?? "its newest commit"].filter(Boolean).join(" at ");
}
