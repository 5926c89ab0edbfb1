import type { Context } from "../../context.ts";

/** One thing that ferry needs of its surroundings, looked at as it is now. */
export interface Check {
  readonly name: string;
  /** Ends within a few seconds; what it throws is a failure with that message. */
  readonly run: (context: Context) => Promise<Finding>;
}

export interface Finding {
  /** `warning`: ferry works, though not as well. `skipped`: there was nothing to look at, and nothing is known. */
  readonly verdict: "ok" | "warning" | "failed" | "skipped";
  readonly says: string;
  /** The remedy. */
  readonly hint?: string | undefined;
}
