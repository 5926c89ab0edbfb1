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
  /** Whether it can be tried at all. */
  readonly suits: (series: Series) => boolean;
  /** @throws FerryError failure where what came doesn't make those commits, Unsuited where another engine may know better */
  build(series: Series, workshop: Workshop): Promise<void>;
}

/** What came may well be right, but this engine makes nothing of it; whatever it left in the quarantine is in nobody's way. */
export class Unsuited extends Error {}

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
