import type { Context } from "../context.ts";

/** A commit that doesn't fit and stands, or stood, in the working copy as a cherry-pick; kept as a blob that one ref holds. */
export interface HereNote {
  /** The session's id. */
  readonly session: string;
  /** The commit that is picked. */
  readonly commit: string;
  /** The sandbox's, which that one is or was made of. */
  readonly sandbox: string;
  /** One harmless line. */
  readonly subject: string;
  /** HEAD when it stopped. */
  readonly tip: string;
}

export async function writeHere(note: HereNote, { git, repository: { gitDir } }: Context): Promise<string> {
  const input = JSON.stringify(note);
  return (await git.ok(["hash-object", "-w", "--stdin"], { cwd: gitDir, gitDir, input })).toString("latin1").trim();
}

export async function readHere(id: string, { git, repository: { gitDir } }: Context): Promise<HereNote> {
  return JSON.parse((await git.ok(["cat-file", "blob", id], { cwd: gitDir, gitDir })).toString("utf8")) as HereNote;
}

/** Whether it stands there still: a cherry-pick of that commit is in progress. */
export async function standsHere(
  { commit }: Pick<HereNote, "commit">,
  { git, repository }: Pick<Context, "git" | "repository">,
): Promise<boolean> {
  const { gitDir } = repository;
  const found = await git.run(["rev-parse", "--verify", "--quiet", "CHERRY_PICK_HEAD"], { cwd: gitDir, gitDir });
  return found.stdout.toString("latin1").trim() === commit;
}
