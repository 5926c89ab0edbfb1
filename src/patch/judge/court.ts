import type { Git } from "../../git/git.ts";
import type { Context } from "../context.ts";
import type { Quarantine } from "../quarantine.ts";
import type { Outside } from "./outside.ts";

/** Where a series is judged: the repository that holds its objects, and the system that it is to land on. */
export interface Court {
  readonly git: Git;
  readonly quarantine: Quarantine;
  readonly platform: NodeJS.Platform;
  readonly workTree: string;
  /** Where the user lets links leave the repository; undefined where they may not. */
  readonly outside?: Outside | undefined;
}

export function courtOf(
  { git, host, repository }: Context,
  { quarantine, allowSymlinks }: { readonly quarantine: Quarantine; readonly allowSymlinks: boolean | undefined },
): Court {
  const { workTree, gitDir, commonDir } = repository;
  const outside = allowSymlinks === true ? { workTree, gitDirs: [gitDir, commonDir] } : undefined;
  return { git, quarantine, platform: host.platform, workTree, outside };
}
