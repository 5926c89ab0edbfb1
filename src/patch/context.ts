import type { Repository } from "../git/discover.ts";
import type { Git } from "../git/git.ts";
import type { Own } from "./land/path-check.ts";
import type { Quarantine } from "./quarantine.ts";
import type { Rescued } from "./recovery/rescue.ts";
import type { Checkpoint, Errand, PatchHost, PullDeps, PullRequest } from "./request.ts";
import type { Verdict } from "./verdict.ts";

/** What every step works with, under the repository's lock. */
export interface Context {
  readonly request: Errand;
  readonly git: Git;
  readonly host: PatchHost;
  readonly repository: Repository & { readonly workTree: string };
  readonly checkpoint: (name: Checkpoint) => Promise<void>;
  /** Grows by the files that someone wrote into while they were replaced: told once all else is done (edited.ts). */
  readonly edited: Rescued[];
}

/** What came before a pull began anew, since the user's own merge driver resolved what didn't fit. */
export interface Came {
  readonly verdict: Verdict;
  /** To where all of it is taken back, and the user's own work there (undo-note.ts). */
  readonly undo: {
    readonly old: string | undefined;
    readonly cursor: string | undefined;
    readonly own?: readonly Own[] | undefined;
  };
}

export interface PullContext extends Context {
  readonly request: PullRequest;
  readonly engines?: PullDeps["engines"];
  /** Before the attempt began anew. */
  readonly came?: Came | undefined;
  /** Made when it is asked for the first time: a pull that finds nothing new needs none. Gone with the attempt. */
  readonly quarantine: () => Promise<Quarantine>;
}
