import type { Reaching } from "../../git/fetch.ts";
import type { Context } from "../context.ts";

/** How this pull talks to the remotes of the working copy. */
export function reachingOf({ git, host, repository }: Context): Reaching {
  return { git, gitDir: repository.gitDir, env: host.env, signal: host.interrupt };
}
