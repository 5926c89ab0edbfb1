import type { Incoming } from "../incoming/incoming.ts";
import type { Conflicting } from "../place/conflicting.ts";
import type { Quarantine } from "../quarantine.ts";

/** A series of which a commit doesn't fit. */
export interface Stop {
  readonly error: Conflicting;
  readonly incoming: Incoming;
  readonly quarantine: Quarantine;
}
