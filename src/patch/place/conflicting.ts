import type { ErrorDetails } from "../../base/errors.ts";
import { PullRefused, type Verdict } from "../verdict.ts";
import type { Conflict } from "./rebuild.ts";

/** A pull of which a commit doesn't fit: nothing came of it yet, and what does fit is known. */
export class Conflicting extends PullRefused {
  readonly conflict: Conflict;

  constructor(message: string, details: ErrorDetails & { readonly verdict: Verdict; readonly conflict: Conflict }) {
    super("attention", message, { code: "conflict", ...details });
    this.conflict = details.conflict;
  }
}
