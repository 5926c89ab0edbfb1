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
  return ident("GIT_COMMITTER_IDENT", committerEnvironment(host), { git, repository });
}

/** The same of who is the author of what is written here now, as for `git commit --reset-author`. @throws FerryError as committerIdent does */
export async function authorIdent({ git, host, repository }: Context): Promise<string> {
  const names = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE"];
  const env = Object.fromEntries(names.map((name) => [name, host.env[name]]));
  return ident("GIT_AUTHOR_IDENT", env, { git, repository });
}

async function ident(
  variable: string,
  env: Environment,
  { git, repository: { workTree, gitDir } }: Pick<Context, "git" | "repository">,
): Promise<string> {
  const result = await git.run(["var", variable], { cwd: workTree, gitDir, workTree, env });
  if (result.code === 0) return result.stdout.toString("latin1").trim();
  throw new FerryError("attention", "the commits must be rebuilt here, and git doesn't know who you are", {
    hint: 'git config user.name "Your Name"; git config user.email you@example.com',
  });
}

/** What to say of commits that were rebuilt, where the user wants theirs to be signed. */
export async function unsignedNotices(context: Context): Promise<string[]> {
  return (await wantsSignatures(context)) ? ["the rebuilt commits aren't signed, though commit.gpgSign is set"] : [];
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
