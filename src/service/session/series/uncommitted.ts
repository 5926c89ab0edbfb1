import type { Git } from "../../../git/git.ts";
import type { Uncommitted } from "../../../wire/patches.ts";
import type { Session } from "../../../wire/resources.ts";
import { Problem } from "../../problem.ts";
import type { SessionsDeps } from "../deps.ts";
import { layout, own, uncommittedRef } from "../repository/layout.ts";
import { diffOptions } from "./mail.ts";
import { gitOutput } from "./output.ts";

/** Bytes of the patch: as base64 in one answer it must still be what a client holds in memory. */
const most = 40 * 1024 * 1024;

/**
 * What the session's workspace held beyond its newest commit when its last turn ended, also where the sandbox is gone since.
 * @throws Problem 409 `not_kept` where it could not be brought out of the sandbox, 413 where it is too large
 */
export async function uncommitted(deps: Pick<SessionsDeps, "git" | "host" | "data">, session: Session): Promise<Uncommitted> {
  const { git, host, data } = deps;
  const gitDir = layout.repository(data, session.id);
  const head = session.head_commit ?? "";
  const base = head === "" ? await emptyTree(git, gitDir) : await resolve(git, gitDir, `${head}^{tree}`);
  const commit = await resolve(git, gitDir, uncommittedRef);
  // It is made on top of the newest commit. What is on another was not replaced, since its successor could not be kept.
  if (commit !== "" && (await resolve(git, gitDir, `${commit}^`)) !== head)
    throw new Problem(409, "not_kept", "what is not committed could not be brought out of the sandbox");
  const tree = commit === "" ? base : await resolve(git, gitDir, `${commit}^{tree}`);
  return {
    base_commit: head,
    tree,
    patch: tree === base ? "" : (await diff(git, gitDir, [base, tree])).toString("base64"),
    as_of: (await host.files.readText(layout.looked(data, session.id)))?.trim() ?? session.created_at,
  };
}

async function diff(git: Git, gitDir: string, trees: readonly [string, string]): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of gitOutput(git, ["diff-tree", "-r", ...diffOptions, ...trees], own(gitDir))) {
    size += chunk.length;
    if (size > most) throw new Problem(413, "too_large", `what is not committed is a patch of more than ${most} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function emptyTree(git: Git, gitDir: string): Promise<string> {
  return (await git.ok(["hash-object", "-t", "tree", "--stdin"], { ...own(gitDir), input: "" })).toString("latin1").trim();
}

/** "" where there is none. */
async function resolve(git: Git, gitDir: string, name: string): Promise<string> {
  const result = await git.run(["rev-parse", "--quiet", "--verify", name], own(gitDir));
  return result.code === 0 ? result.stdout.toString("latin1").trim() : "";
}
