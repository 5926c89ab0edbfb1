import { FerryError } from "../../base/errors.ts";
import { withIdLike } from "../../base/ids.ts";
import { readHead } from "../../git/discover.ts";
import { gitError } from "../../git/runner.ts";
import type { Context } from "../context.ts";
import { ferryRefs } from "../incoming/refs.ts";
import { moveRefs } from "../land/move-refs.ts";
import { moveRef } from "../land/transaction.ts";
import { runPorcelain } from "../recovery/porcelain.ts";
import { short } from "../series/series.ts";
import { unmovedVerdict, type Verdict } from "../verdict.ts";
import { hasCome } from "./learned.ts";
import { type HereNote, readHere, standsHere } from "./note.ts";

/** A pull to this branch that stands, or stood, at a conflict in the working copy. */
export interface StoppedHere {
  readonly ref: string;
  readonly id: string;
  readonly note: HereNote;
  /** Whether the cherry-pick is in progress. */
  readonly stands: boolean;
}

/** The one that isn't known to have come; where it no longer stands, a pull of the same that was parked since goes before it. */
export async function findHere(context: Context, session: string | undefined): Promise<StoppedHere | undefined> {
  const { git, repository, request } = context;
  const { gitDir } = repository;
  const head = await readHead(git, repository);
  const branch = ferryRefs(request, repository, head).here.split("/").at(-1) ?? "";
  const args = ["for-each-ref", "--format=%(refname) %(objectname)", "refs/ferry/"];
  const lines = (await git.ok(args, { cwd: gitDir, gitDir })).toString("latin1").split("\n");
  for (const line of lines) {
    const [ref = "", id = ""] = line.split(" ");
    if (!ref.endsWith(`/here/${branch}`)) continue;
    const isParkedSince = lines.some((other) => other.startsWith(`${ref.replace("/here/", "/parked/")} `));
    const note = await readHere(id, context);
    if (session !== undefined && withIdLike([{ id: note.session }], session).length === 0) continue;
    const stands = await standsHere(note, context);
    if (stands || (!isParkedSince && !(await hasCome(note, head, context)))) return { ref, id, note, stands };
  }
  return undefined;
}

/** Leaves that commit out for good: the cherry-pick, where it still stands, is skipped, and the cursor moves past it. */
export async function skipHere(
  { ref, id, note, stands }: StoppedHere,
  context: Context,
): Promise<{ verdict: Verdict; said: string }> {
  const { git, repository } = context;
  const { gitDir, workTree } = repository;
  if (stands) {
    const args = ["cherry-pick", "--skip"];
    const result = await runPorcelain(args, { cwd: workTree, gitDir, workTree }, context);
    if (result.code !== 0) throw gitError(args, result);
  }
  await context.checkpoint("here-skipped");
  const cursor = ref.replace("/here/", "/applied/");
  const at = await git.run(["rev-parse", "--verify", "--quiet", cursor], { cwd: gitDir, gitDir });
  const old = at.code === 0 ? at.stdout.toString("latin1").trim() : undefined;
  const updates = [moveRef(cursor, old, note.sandbox), moveRef(ref, id, undefined)];
  await moveRefs({ updates, reason: "ferry pull: a commit left out" }, context);
  const left = `commit ${short(note.sandbox)} (${note.subject}) is left out`;
  return {
    verdict: { ...unmovedVerdict({ engine: "none", source: "patches", from: "" }, note.tip), notices: [left] },
    said: "ferry pull brings what comes after it",
  };
}

/** The stop is git's own, and so are its other ends. */
export function gitsOwnError({ note, stands }: StoppedHere, how: "continue" | "abort"): FerryError {
  if (!stands)
    return new FerryError(
      "attention",
      `the cherry-pick of commit ${short(note.sandbox)} (${note.subject}) stands here no longer`,
      {
        hint: "ferry pull tries it again, ferry pull --skip leaves it out",
      },
    );
  return new FerryError("attention", "the pull stands here as a cherry-pick, which git itself ends", {
    hint: `git cherry-pick --${how}${how === "continue" ? ", then ferry pull brings the rest" : ""}`,
  });
}
