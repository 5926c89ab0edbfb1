import { FerryError } from "../../base/errors.ts";
import type { Environment } from "../../host/host.ts";
import type { Context } from "../context.ts";

/** The user's own variables for who commits; all others of git's were taken away for good reasons. */
const names = ["GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE"] as const;

/** For a git that makes a commit of the user's. */
export function committerEnvironment({ env }: Pick<Context["host"], "env">): Environment {
  return Object.fromEntries(names.map((name) => [name, env[name]]));
}

/**
 * Who commits here, as a commit's header has it (`Ada <ada@example.com> 1764000000 +0100`), one character a byte.
 * @throws FerryError attention where git doesn't know
 */
export async function committerIdent({ git, host, repository }: Context): Promise<string> {
  const { workTree, gitDir } = repository;
  const result = await git.run(["var", "GIT_COMMITTER_IDENT"], {
    cwd: workTree,
    gitDir,
    workTree,
    env: committerEnvironment(host),
  });
  if (result.code === 0) return result.stdout.toString("latin1").trim();
  throw new FerryError("attention", "the commits must be rebuilt on your branch, and git doesn't know who you are", {
    hint: 'git config user.name "Your Name"; git config user.email you@example.com',
  });
}

/** Whether the user wants commits of theirs to be signed, which a rebuilt one isn't. Our own -c is among the values, as scope `command`. */
export async function wantsSignatures({ git, repository }: Context): Promise<boolean> {
  const args = ["config", "--type=bool", "--show-scope", "--get-all", "commit.gpgSign"];
  const lines = (await git.run(args, { cwd: repository.workTree })).stdout.toString("latin1").trim().split("\n");
  return (
    lines
      .filter((line) => !line.startsWith("command"))
      .at(-1)
      ?.endsWith("true") ?? false
  );
}
