import type { Repository } from "../git/discover.ts";
import type { Git } from "../git/git.ts";
import type { Checkpoint, PatchHost, PullRequest } from "./request.ts";

/** What every step of a pull works with. */
export interface Context {
  readonly request: PullRequest;
  readonly git: Git;
  readonly host: PatchHost;
  readonly repository: Repository & { readonly workTree: string };
  readonly checkpoint: (name: Checkpoint) => Promise<void>;
}
