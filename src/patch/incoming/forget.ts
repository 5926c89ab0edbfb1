import { FerryError } from "../../base/errors.ts";
import { readHead } from "../../git/discover.ts";
import { moveRefs } from "../land/move-refs.ts";
import { moveRef } from "../land/transaction.ts";
import type { Errand, PullDeps } from "../request.ts";
import { underLock } from "../under-lock.ts";
import { ferryRefs, sessionRefs } from "./refs.ts";

/** What became of what a repository remembered of a session. */
export interface Forgotten {
  /** How many refs went. */
  readonly refs: number;
  /** The session's newest commit that came here, where no branch, tag or remote has it now. */
  readonly loose: string | undefined;
  /** Whether the last pull of it to the branch that is checked out could have been taken back until then. */
  readonly undo: boolean;
}

/**
 * Takes the refs away that remember a session here; where another branch is still linked to it, only those of the branch that is
 * checked out. The session's commits stay as long as a branch has them, and can be pulled again.
 * @throws FerryError attention where a pull of it stands at a conflict
 */
export function forgetSession(
  errand: Errand,
  { isLinkedElsewhere }: { readonly isLinkedElsewhere: boolean },
  deps: PullDeps,
): Promise<Forgotten> {
  return underLock(errand, deps, async (context) => {
    const { git, repository } = context;
    const options = { cwd: repository.gitDir, gitDir: repository.gitDir };
    const own = sessionRefs(errand);
    const format = "--format=%(objectname) %(refname)";
    const listing = (await git.ok(["for-each-ref", format, `${own}/`], options)).toString("latin1");
    const all = listing.split("\n").flatMap((line): { id: string; ref: string }[] => {
      const [id, ref] = line.split(" ");
      return id === undefined || ref === undefined ? [] : [{ id, ref }];
    });
    if (all.some(({ ref }) => ref.startsWith(`${own}/parked/`)))
      throw new FerryError("attention", "a pull of this session stands at a conflict", {
        hint: "end it first: ferry pull --continue, --skip or --abort",
      });
    const here = ferryRefs(errand, repository, await readHead(git, repository));
    const ofBranch = [here.cursor, here.undo, here.undone];
    const going = isLinkedElsewhere ? all.filter(({ ref }) => ofBranch.includes(ref)) : all;
    const tip = isLinkedElsewhere ? undefined : all.find(({ ref }) => ref === here.remote)?.id;
    const updates = going.map(({ ref, id }) => moveRef(ref, id, undefined));
    if (updates.length > 0) await moveRefs({ updates, reason: "ferry session unlink" }, context);
    const undo = going.some(({ ref }) => ref === here.undo);
    if (tip === undefined) return { refs: updates.length, loose: undefined, undo };
    const args = ["rev-list", "--max-count=1", tip, "--not", "HEAD", "--branches", "--tags", "--remotes"];
    const outside = await git.run(args, options);
    const isLoose = outside.code === 0 && outside.stdout.length > 0;
    return { refs: updates.length, loose: isLoose ? tip : undefined, undo };
  });
}
