import type { Git } from "../../git/git.ts";
import type { Quarantine } from "../quarantine.ts";

/** Where a series is judged: the repository that holds its objects, and the system that it is to land on. */
export interface Court {
  readonly git: Git;
  readonly quarantine: Quarantine;
  readonly platform: NodeJS.Platform;
}
