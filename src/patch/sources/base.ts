import { FerryError } from "../../base/errors.ts";
import type { GitStreamOptions } from "../../git/git.ts";
import { GitKilledError } from "../../git/runner.ts";
import type { PullContext } from "../context.ts";
import { fetchWhole } from "./whole.ts";

/** Where a commit that a series begins after was found. */
export interface Ground {
  /** In the user's own repository, or only in the quarantine; undefined where it is nowhere to be had. */
  readonly at: "here" | "quarantine" | undefined;
  /** Why not, a line for each remote that was asked. */
  readonly reasons: readonly string[];
  /** How git is run to see that commit and all that is here. */
  readonly options: GitStreamOptions;
}

/**
 * Finds the commit that a series begins after; one that isn't here is fetched, with its history, from the remotes that are of the
 * session's repository into the quarantine. Nobody is asked anything.
 */
export async function findGround(base: string | undefined, context: PullContext): Promise<Ground> {
  const { git, repository, request } = context;
  const { gitDir } = repository;
  const here = { cwd: gitDir, gitDir };
  if (base === undefined || (await has(base, here, context))) return { at: "here", reasons: [], options: here };
  const { remotes, branch } = request.offers;
  const names = remotes === undefined ? [] : await remotes();
  const quarantine = await context.quarantine();
  const { options } = quarantine;
  if (await has(base, options, context)) return { at: "quarantine", reasons: [], options };
  const reasons: string[] = [];
  for (const remote of names) {
    const wants = [
      [base],
      ...[branch?.base.branch, branch?.name].flatMap((name) => (name === undefined ? [] : [[`refs/heads/${name}`]])),
    ];
    for (const want of wants) {
      try {
        if (want[0]?.startsWith("refs/") === true && (await git.run(["check-ref-format", ...want], here)).code !== 0) continue;
        await fetchWhole({ remote, wants: want }, quarantine, context);
      } catch (error) {
        context.host.interrupt.throwIfAborted();
        if (!(error instanceof FerryError) || error instanceof GitKilledError) throw error;
        reasons.push(error.message);
        if (["remote_auth", "remote_unreachable", "transport"].includes(error.code ?? "")) break;
      }
      if (await has(base, options, context)) return { at: "quarantine", reasons: [], options };
    }
  }
  return { at: undefined, reasons, options: here };
}

async function has(commit: string, options: GitStreamOptions, { git }: PullContext): Promise<boolean> {
  return (await git.run(["cat-file", "-e", `${commit}^{commit}`], options)).code === 0;
}
