import type { Head, Repository } from "../git/discover.ts";
import type { Git } from "../git/git.ts";
import type { Host } from "../host/host.ts";
import type { Shape } from "./shape/shape.ts";
import type { Offers } from "./source.ts";
import type { EngineName } from "./verdict.ts";

/** Which session, and where its commits land. */
export interface Errand {
  /** A folder in the working copy. */
  readonly folder: string;
  /** The repository around it, where it was looked for a moment ago. */
  readonly repository?: Repository | undefined;
  /** Whose session it is; together the four make the name of its cursor. Origin of `local` is `local:` and the data folder's id. */
  readonly origin: string;
  readonly workspace: string;
  readonly session: string;
  readonly repositoryId: string;
  /** Everything but writing: the verdict tells what a pull would do. */
  readonly dryRun?: boolean | undefined;
  /** The git hook that we run in, if any: nothing is waited for there. */
  readonly hook?: string | undefined;
}

export interface PullRequest extends Errand {
  readonly offers: Offers;
  /** Where HEAD pointed when the repository was looked for. It may have moved since: it only says what to ask for. */
  readonly head?: Head | undefined;
  /** Puts local changes that are in the way into a stash for the time of the landing. */
  readonly autostash?: boolean | undefined;
  /** What becomes of a pull that a commit doesn't fit: nothing, unless the user wants to resolve it. */
  readonly onConflict?: "refuse" | "park" | "here" | undefined;
  /** Lands on this branch (its short name) and leaves the checkout alone; made at the series' base where there is none. */
  readonly branch?: string | undefined;
  /** Whether the session has ended; undefined where its service's words don't tell. */
  readonly isOver?: boolean | undefined;
  /** Takes the session's new history in place of the one that it came with before. */
  readonly acceptRewrite?: boolean | undefined;
  /** Puts commits whose base can't be had on HEAD, approximately. */
  readonly ontoHead?: boolean | undefined;
  /** Also what the sandbox has not committed, as unstaged changes. */
  readonly uncommitted?: boolean | undefined;
  /** Lets a series come that leaves less than half of the files. */
  readonly acceptDeletion?: boolean | undefined;
  /** Lets links through that leave the repository; never into a `.git`. */
  readonly allowSymlinks?: boolean | undefined;
  /** What is to be otherwise in the commits than in the sandbox. */
  readonly shape?: Shape | undefined;
  readonly progress?: ((progress: Progress) => void) | undefined;
  /** Told what is of interest only to whoever asks for it (-v). */
  readonly detail?: ((line: string) => void) | undefined;
}

export interface Progress {
  readonly stage: "fetch" | "apply" | "rebuild";
  readonly done: number;
  readonly total: number;
}

/** What of the outside world a pull needs. */
export type PatchHost = Pick<Host, "env" | "platform" | "clock" | "random" | "hostname" | "pid" | "processes" | "interrupt">;

export interface PullDeps {
  readonly git: Git;
  readonly host: PatchHost;
  /** Called at each marked point, in order: where a test ends the process to see what the next run makes of it. */
  readonly checkpoint?: ((name: Checkpoint) => Promise<void>) | undefined;
  /** Those that may be used; default all. */
  readonly engines?: readonly EngineName[] | undefined;
}

export const checkpoints = [
  "locked",
  "fetched",
  "quarantined",
  "spooled",
  "applied",
  "grafted",
  "written",
  "judged",
  "promoted",
  "journaled",
  "held",
  "prepared",
  "checked",
  "adopted",
  "tree-started",
  "tree-written",
  "committed",
  "finished",
] as const;

/** What a pull goes through besides, by flag. */
export const moreCheckpoints = {
  park: ["park-noted", "park-added", "park-picked"],
  continue: [
    "park-read",
    "park-moved",
    "park-reset",
    "park-made",
    "park-looked",
    "park-taken",
    "park-landed",
    "park-aside",
    "park-closed",
    "park-removed",
  ],
  here: ["here-landed", "here-made", "here-looked", "here-taken", "here-picked"],
  worktree: ["worktree-added"],
  hereSkip: ["here-skipped"],
  stash: ["stash-made", "stash-stored", "stash-landed", "stash-applied"],
} as const;

export type Checkpoint = (typeof checkpoints)[number] | (typeof moreCheckpoints)[keyof typeof moreCheckpoints][number];
