import type { Session } from "../../../wire/resources.ts";
import { Problem } from "../../problem.ts";
import type { SessionsDeps } from "../deps.ts";
import { layout, own } from "./layout.ts";

/** Gives the branch of a session's repository another name. @throws Problem 409 where git can't (a branch in its way) */
export async function renameBranch({ git, data }: SessionsDeps, session: Session, name: string): Promise<void> {
  const gitDir = layout.repository(data, session.id);
  const head = session.head_commit ?? "";
  if (head !== "") {
    const ref = `refs/heads/${session.branch_name}`;
    // Deleted first: `a` must be gone before there can be an `a/b`.
    const moved = await git.run(["branch", "--move", "--force", session.branch_name, name], own(gitDir));
    if (moved.code !== 0) throw new Problem(409, "branch_name_taken", `branch_name: ${ref} can't become refs/heads/${name}`);
  }
  await git.ok(["symbolic-ref", "HEAD", `refs/heads/${name}`], own(gitDir));
}
