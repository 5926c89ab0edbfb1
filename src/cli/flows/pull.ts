import { resolve } from "node:path";
import { local } from "../../auth/address.ts";
import { FerryError } from "../../base/errors.ts";
import { count, oneLine, textOf } from "../../base/text.ts";
import { shellWord } from "../../base/words.ts";
import type { Forgotten } from "../../patch/incoming/forget.ts";
import type { Preview } from "../../patch/preview/preview.ts";
import type { ParkedRequest, Resumed } from "../../patch/parked/parked.ts";
import type { Errand, PullRequest } from "../../patch/request.ts";
import type { Offers } from "../../patch/source.ts";
import type { Undone } from "../../patch/undo.ts";
import type { Verdict } from "../../patch/verdict.ts";
import { sessionStatuses } from "../../wire/values.ts";
import type { PulledElsewhere } from "../../patch/worktree/pull.ts";
import type { Context } from "../context.ts";
import { hostArgument } from "./host/argument.ts";
import { findPlace, type Place } from "./place/place.ts";
import { matchRemotes, repositoriesOf } from "./place/repository.ts";
import type { OpenSession } from "./session/select.ts";
import { offersFor } from "./pull/offers.ts";

export interface PullOptions {
  /** That of the working copy, where it is known already, and where its HEAD pointed then. */
  readonly repository?: PullRequest["repository"];
  readonly head?: PullRequest["head"];
  readonly dryRun?: boolean;
  /** Lands on this branch instead of the one that is checked out. */
  readonly branch?: string | undefined;
  /** Where the commits are to come from. */
  readonly source?: Offers["wanted"];
  /** Takes a history that the sandbox rewrote. */
  readonly acceptRewrite?: boolean;
  /** Puts commits whose base can't be had on HEAD. */
  readonly ontoHead?: boolean;
  /** Brings what the sandbox has not committed, too. */
  readonly uncommitted?: boolean;
  /** Takes a series that removes more than half of the files. */
  readonly acceptDeletion?: boolean;
  /** Lets links through that leave the repository. */
  readonly allowSymlinks?: boolean;
  /** What is to be otherwise in the commits than in the sandbox. */
  readonly shape?: PullRequest["shape"];
  /** Puts local changes that are in the way into a stash meanwhile. */
  readonly autostash?: boolean;
  /** What becomes of it where a commit doesn't fit. */
  readonly onConflict?: PullRequest["onConflict"];
  /** The git hook that it runs in: nothing is waited for then. */
  readonly hook?: string;
}

/**
 * Brings a session's commits into this working copy. Nothing new is a verdict with `applied: false`, and no error.
 * @throws FerryError attention where a person is needed, failure where what came is a lie or against the rules: nothing changed
 */
export async function pullSession(context: Context, open: OpenSession, options: PullOptions = {}): Promise<Verdict> {
  const { pull } = await import("../../patch/pull.ts");
  const request = await requestFor(context, open, options);
  const details: string[] = [];
  const detail = (line: string) => void details.push(line);
  const verdict = await withProgress(context, (progress) => pull({ ...request, progress, detail }, context));
  if (context.global.verbose) {
    for (const line of [`commits: ${verdict.from}`, `engine: ${verdict.engine}`, ...details]) await context.print.note(line);
  }
  return verdict;
}

/** The same in another working copy of the repository, made where there is none, which leaves this one alone. */
export async function pullIntoWorktree(
  context: Context,
  open: OpenSession,
  options: PullOptions & { worktree: string },
): Promise<PulledElsewhere> {
  const { pullElsewhere } = await import("../../patch/worktree/pull.ts");
  const request = await requestFor(context, open, options);
  const worktree = resolve(context.folder, options.worktree);
  const sessionBranch = open.session.branch_name || undefined;
  return withProgress(context, (progress) => pullElsewhere({ ...request, worktree, sessionBranch, progress }, context));
}

/** What a pull would change, shown by `look`; nothing is written. @throws FerryError as a pull does, but not for what is in the way */
export async function previewPull(
  context: Context,
  open: OpenSession,
  options: PullOptions,
  look: (preview: Preview) => Promise<void>,
): Promise<Verdict> {
  const { preview } = await import("../../patch/preview/preview.ts");
  const request = await requestFor(context, open, options);
  return withProgress(context, (progress, stop) =>
    preview({ ...request, dryRun: true, progress }, context, async (found) => {
      stop();
      await look(found);
    }),
  );
}

async function requestFor(context: Context, open: OpenSession, options: PullOptions): Promise<PullRequest> {
  const offers = await offersFor(context, open, options);
  return { ...options, ...errandOf(context, open), offers, isOver: isOver(open.session) };
}

async function withProgress<T>(
  { host, interactive, global }: Context,
  work: (progress: NonNullable<PullRequest["progress"]>, stop: () => void) => Promise<T>,
): Promise<T> {
  const spinner = interactive && !global.quiet ? host.terminal.spin("pulling") : undefined;
  const stop = () => spinner?.stop();
  try {
    return await work(({ stage, done, total }) => spinner?.update(`pulling: ${stage} ${done}/${total}`), stop);
  } finally {
    stop();
  }
}

/** Takes the last pull of a session to this branch, or to the named one, back. @throws FerryError attention where it can't be */
export async function undoPull(
  context: Context,
  open: OpenSession,
  options: Pick<PullOptions, "branch" | "dryRun">,
): Promise<Undone> {
  const { undo } = await import("../../patch/undo.ts");
  return undo({ ...errandOf(context, open), ...options }, context);
}

/** Whether the last pull of a session to the branch that is checked out was taken back, and nothing came since. */
export async function isPullUndone(context: Context, open: OpenSession, { repository, head }: Place): Promise<boolean> {
  const { isUndone } = await import("../../patch/undone.ts");
  return isUndone(errandOf(context, open), head, { git: context.git, repository });
}

/** Ends a parked pull, of the session that `given` names or the only one there is; the service isn't asked. */
export async function resumePull(
  context: Context,
  how: Pick<ParkedRequest, "how" | "allowSymlinks">,
  given: string | undefined,
): Promise<Resumed> {
  const { resumeParked } = await import("../../patch/parked/parked.ts");
  const session = given ?? (context.host.env["FERRY_SESSION"] || undefined);
  const { folder, global } = context;
  return withProgress(context, (progress) =>
    resumeParked({ folder, ...how, session, acceptDeletion: global.yes, progress }, context),
  );
}

/** Undefined for words of its service's own. */
function isOver({ status }: OpenSession["session"]): boolean | undefined {
  return (sessionStatuses as readonly (string | null | undefined)[]).includes(status) ? status !== "active" : undefined;
}

/** Takes away what this repository remembers of a session; see patch/incoming/forget.ts. */
export async function forgetSession(context: Context, open: OpenSession, isLinkedElsewhere: boolean): Promise<Forgotten> {
  const { forgetSession: forget } = await import("../../patch/incoming/forget.ts");
  return forget(errandOf(context, open), { isLinkedElsewhere }, context);
}

function errandOf({ folder }: Context, { connection, session }: OpenSession): Errand {
  const { id, workspace_id: workspace, repository_id: repositoryId } = session;
  return { folder, origin: connection.origin, workspace: workspace ?? "", session: id, repositoryId: repositoryId ?? "" };
}

/**
 * Told before anything is done that a pull is meant to end.
 * @throws FerryError failure where the service has only the seed's interface, which sends no commits, and no remote here is of a
 * repository that it knows, to which the agent might push them, and nobody would see that they are made of the timeline
 */
export async function requireCommits(context: Context, { connection }: Pick<OpenSession, "connection">): Promise<void> {
  if ((await connection.client.capabilities()).has("patches")) return;
  if (context.interactive || (await repositoriesOf(context, connection, await findPlace(context))).length > 0) return;
  throw new FerryError("failure", `${connection.name} doesn't send its commits, and knows no repository of a remote here`, {
    hint: `register it: ferry repo create${hostArgument(context)}; or go without its commits: --pull none`,
  });
}

/**
 * A session that was named outright may be of another repository: its commits have no business here, unless the one that it began
 * at is here (a clone whose remotes are forks, or none). That is told.
 * @throws FerryError attention
 */
export async function checkRepository(context: Context, { connection, session }: OpenSession): Promise<void> {
  const id = session.repository_id;
  if (id === undefined || id === null || id === "") return;
  const place = await findPlace(context);
  const repository = await connection.client.readRepository({ params: { id } });
  const here =
    connection.host === local
      ? repository.clone_url === place.repository.commonDir
      : (await matchRemotes(context, place, [repository])).length > 0;
  if (here) return;
  const name = oneLine(textOf(repository.full_name) || id);
  const base = session.base_commit ?? "";
  const began = `${oneLine(base).slice(0, 12)}, where the session began,`;
  if (!(await hasCommit(context, place, base)))
    throw new FerryError(
      "attention",
      `the session is of ${name}, which this working copy is not of${base && `: ${began} is not here`}`,
      {
        hint: `${base && "where this is a clone of the same: git fetch; else "}go to a clone of it, or name one with -C DIR`,
      },
    );
  const otherwise = connection.host === local ? `this is another clone than ${name}` : `no remote here is of ${name}`;
  await context.print.note(`note: ${otherwise}, but ${began} is here`);
}

async function hasCommit({ git }: Context, { repository }: Place, commit: string): Promise<boolean> {
  if (!/^([0-9a-f]{40}|[0-9a-f]{64})$/u.test(commit)) return false;
  const { gitDir } = repository;
  return (await git.run(["cat-file", "-e", `${commit}^{commit}`], { cwd: gitDir, gitDir })).code === 0;
}

export interface SummaryOptions extends PullOptions {
  /** The session, where a command here that names none would mean another one, or none. */
  readonly named?: string | undefined;
  /** Where to go for it, where the folder that the command ran in is gone by then. */
  readonly elsewhere?: string | undefined;
}

/** The last line of a pull: how many commits came, as which ids, onto what, and how to undo it. */
export function summary(verdict: Verdict, place: Place, options: SummaryOptions = {}): string {
  const { base } = verdict;
  const { dryRun, branch, shape } = options;
  const commits = verdict.commits.flatMap(({ applied_as }) => applied_as ?? []);
  const ids = [...new Set([commits.at(0), commits.at(-1)])].map((id) => (id ?? "").slice(0, 12)).join("..");
  const source = verdict.source === "patches" ? "" : ` from ${verdict.from}`;
  const near = verdict.exactness === "approximate" ? ", approximate," : "";
  const onto = `${branch ?? place.branch ?? "the detached HEAD"}${base === "" ? "" : ` at ${base.slice(0, 12)}`}`;
  const files = verdict.uncommitted?.written ?? 0;
  const more = files === 0 ? "" : `${count(files, "file")} not committed there`;
  const empty = verdict.commits.length - commits.length;
  const again = dryRun === true || shape?.exclude === undefined ? "" : undoHint("here", options);
  if (commits.length === 0 && files === 0)
    return empty === 0 ? `nothing new${source}` : `nothing came: ${count(empty, "commit")}${source} ${idle}${again}`;
  const series = commits.length === 0 ? "" : `${count(commits.length, "commit")} (${ids})${source}${near} onto ${onto}`;
  const what = [series, more].filter((text) => text !== "").join(", and ");
  const rest = empty === 0 ? "" : `; ${count(empty, "more commit")} ${idle}`;
  return dryRun === true ? `would bring ${what}${rest}` : `${what}${rest}${undoHint(base, options)}`;
}

/** How a command that is printed begins, to be run in that folder; undefined for the one that this ran in. */
export function ferryIn(folder: string | undefined): string {
  return folder === undefined ? "ferry" : `ferry -C ${shellWord(folder)}`;
}

/** Of commits whose changes are left out, or are here already. */
const idle = "would change nothing here";

function undoHint(base: string, { branch, named, elsewhere }: SummaryOptions): string {
  const undo = `${ferryIn(elsewhere)} pull --undo${named === undefined ? "" : ` ${named}`}`;
  if (branch !== undefined) return `; undo with: ${undo} --branch ${shellWord(branch)}`;
  return `; undo with: ${base === "" ? "git update-ref -d HEAD" : undo}`;
}
