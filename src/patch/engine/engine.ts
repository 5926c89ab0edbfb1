import type { Git } from "../../git/git.ts";
import type { Quarantine } from "../quarantine.ts";
import type { Checkpoint } from "../request.ts";
import type { Series } from "../series/series.ts";
import type { EngineName } from "../verdict.ts";

/**
 * One way from what the service sent to the sandbox's own commits. After `build` every commit of the series is in the
 * quarantine's object store with all that it needs beside the user's objects, each with the id that the manifest says.
 */
export interface Engine {
  readonly name: Exclude<EngineName, "fetch" | "diffs">;
  /** What it asks the source for. */
  readonly form: "mbox" | "bundle";
  /** @throws FerryError failure where what came doesn't make those commits */
  build(series: Series, workshop: Workshop): Promise<void>;
}

export interface Workshop {
  readonly git: Git;
  readonly quarantine: Quarantine;
  /** The bytes of exactly this series, in the engine's form. */
  readonly bytes: () => AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
  readonly checkpoint: (name: Checkpoint) => Promise<void>;
  /** Called with how many commits are through, in each of its passes. */
  readonly progress: (stage: "fetch" | "apply", done: number) => void;
}
