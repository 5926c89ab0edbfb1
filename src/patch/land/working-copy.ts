import type { Repository } from "../../git/discover.ts";
import type { Git, GitChild } from "../../git/git.ts";
import type { PatchHost } from "../request.ts";

/** The user's working copy, to be looked at. */
export interface Watched {
  readonly git: Git;
  readonly repository: Repository & { readonly workTree: string };
  /** A folder for files of this step. */
  readonly scratch: string;
  /** Another index than the user's to compare it with. */
  readonly index?: string;
}

/** The user's working copy, to be written in. */
export interface WorkingCopy extends Watched {
  readonly host: Pick<PatchHost, "clock">;
  /** How long another git's lock is waited for, in ms. */
  readonly patience: number;
  /** Told of each git that writes in it. */
  readonly children: ChildNotes;
}

/** Keeps note of gits that hold locks while they run, for whoever comes after us if we die meanwhile. */
export interface ChildNotes {
  /** Before git does anything. */
  starting(child: GitChild): Promise<void>;
  /** It ended by itself, and took its locks with it. */
  ended(child: GitChild): Promise<void>;
}
