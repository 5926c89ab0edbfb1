import type { Git, GitStreamOptions } from "../../git/git.ts";
import { gitError } from "../../git/runner.ts";
import type { PullContext } from "../context.ts";
import { droppedError, findIncoming, holdsCursor, type Incoming, unrelatedError } from "../incoming/incoming.ts";
import { checkOverlay } from "../land/overlay.ts";
import { checkPaths } from "../land/path-check.ts";
import { assemble } from "../place/assemble.ts";
import { refuseInParked, refuseParked } from "../parked/refuse.ts";
import { asItIs, inTheWayError, makeVerdict } from "../place/place.ts";
import { makeQuarantine, withQuarantine } from "../quarantine.ts";
import type { PullDeps, PullRequest } from "../request.ts";
import { checkPathspecs } from "../shape/pathspec.ts";
import { workFor } from "../uncommitted/work.ts";
import { underLock } from "../under-lock.ts";
import { PullRefused, type Verdict } from "../verdict.ts";

/** What a pull would change, to be looked at while its quarantine is there. */
export interface Preview {
  readonly verdict: Verdict;
  /** What `git diff-tree` says of it with these options, from the tree that the branch has to the one that it would have. */
  readonly diff: (options: readonly string[], config?: Readonly<Record<string, string>>) => AsyncIterable<Uint8Array>;
}

/**
 * Builds and judges what a pull would land, has it looked at, and leaves everything as it was. What is in the way here is told in
 * the verdict and refuses nothing: nothing is written. `look` isn't called where there is nothing new.
 * @throws FerryError as a pull does, for a series that doesn't hold what it says, or that can't be put on the branch
 */
export function preview(request: PullRequest, deps: PullDeps, look: (preview: Preview) => Promise<void>): Promise<Verdict> {
  return underLock(request, deps, async (context) => {
    await checkPathspecs(request.shape?.exclude, context);
    return withQuarantine(
      () => makeQuarantine(context.git, context.host, context.repository),
      async (quarantine) => {
        const own = { ...context, request, quarantine };
        const incoming = await findIncoming(own);
        if (incoming.series.items.length === 0) {
          if (incoming.fit === "rewritten" && (await holdsCursor(incoming, own))) throw droppedError(incoming);
          if (request.uncommitted !== true) return makeVerdict(incoming, asItIs(incoming), { changes: [], notices: [] });
        }
        if (incoming.fit === "unrelated") throw unrelatedError(incoming);
        const parked = await parkedFor(incoming, own);
        return show(incoming, own, parked, look).catch((error: unknown) => {
          // How a conflict of it can be resolved is decided already.
          throw parked !== undefined && error instanceof PullRefused && error.code === "conflict" ? parked : error;
        });
      },
    );
  });
}

/** What a pull would be refused with, where an earlier one stands at a conflict. */
async function parkedFor(incoming: Incoming, context: PullContext): Promise<PullRefused | undefined> {
  try {
    await refuseInParked(context);
    await refuseParked(incoming, context);
    return undefined;
  } catch (error) {
    if (error instanceof PullRefused) return error;
    throw error;
  }
}

async function show(
  incoming: Incoming,
  context: PullContext,
  parked: PullRefused | undefined,
  look: (preview: Preview) => Promise<void>,
): Promise<Verdict> {
  const { git, host, repository } = context;
  const quarantine = await context.quarantine();
  const assembled = await assemble(incoming, quarantine, context);
  const { placed, from, changes } = assembled;
  const work = await workFor(incoming, { assembled, quarantine }, context);
  const own = { git, repository, scratch: quarantine.folder };
  const check =
    work !== undefined
      ? await checkOverlay(own, changes, work.overlay)
      : incoming.isAside
        ? undefined
        : await checkPaths(own, changes);
  const told = work?.told === undefined ? {} : { uncommitted: { ...work.told, written: work.overlay.changes.length } };
  const notices = [...assembled.verdict.notices, ...(work?.notices ?? [])];
  const blocked_by = [...(parked?.verdict.blocked_by ?? []), ...inTheWayError(check?.blocked ?? []).details];
  const verdict = { ...assembled.verdict, notices, blocked_by, ...told };
  const trees = work?.told === undefined ? [from, placed.tip] : [from, work.tree];
  const diff = (options: readonly string[], config?: Readonly<Record<string, string>>) =>
    compare([...options, ...trees], { ...quarantine.options, config, signal: host.interrupt }, git);
  await look({ verdict, diff });
  return verdict;
}

async function* compare(what: readonly string[], options: GitStreamOptions, git: Git): AsyncGenerator<Uint8Array> {
  const args = ["diff-tree", "-r", "--no-color", "--no-ext-diff", "--no-textconv", ...what];
  const child = await git.stream(args, options);
  child.stdin.end();
  yield* child.stdout as AsyncIterable<Uint8Array>;
  const { code, stderr } = await child.exit;
  if (code !== 0) throw gitError(args, { code, stderr });
}
