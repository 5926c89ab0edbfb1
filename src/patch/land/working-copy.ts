import type { Repository } from "../../git/discover.ts";
import type { Git, GitChild } from "../../git/git.ts";
import type { PatchHost } from "../request.ts";

/** The user's working copy, and how it is worked on. */
export interface WorkingCopy {
  readonly git: Git;
  readonly host: PatchHost;
  readonly repository: Repository & { readonly workTree: string };
  /** A folder for files of this step. */
  readonly scratch: string;
  /** How long another git's lock is waited for, in ms. */
  readonly patience: number;
  /** Notes each git that writes in the working copy. */
  readonly announce: (child: GitChild) => Promise<void>;
}
