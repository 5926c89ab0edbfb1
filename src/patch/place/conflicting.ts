import type { ErrorDetails } from "../../base/errors.ts";
import type { Shaped } from "../shape/shaped.ts";
import { PullRefused, type Verdict } from "../verdict.ts";
import type { Conflict } from "./rebuild.ts";

type Details = ErrorDetails & { readonly verdict: Verdict; readonly conflict: Conflict; readonly shaped: Shaped };

/** A pull of which a commit doesn't fit: nothing came of it yet, and what does fit is known. */
export class Conflicting extends PullRefused {
  readonly conflict: Conflict;
  /** The series as it was to come. */
  readonly shaped: Shaped;

  constructor(message: string, details: Details) {
    super("attention", message, { code: "conflict", ...details });
    this.conflict = details.conflict;
    this.shaped = details.shaped;
  }
}
