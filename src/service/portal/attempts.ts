import type { Clock } from "../../host/host.ts";

/** Counts what went wrong, so that a short code can't be guessed. */
export interface Attempts {
  /** Whether there is still patience. */
  allowed(): boolean;
  fail(): void;
}

/** `most` failures within `window` ms, of all browsers together: there is one user. */
export function makeAttempts(most: number, window: number, clock: Clock): Attempts {
  let failures: number[] = [];
  return {
    allowed() {
      failures = failures.filter((at) => at > clock.now() - window);
      return failures.length < most;
    },
    fail: () => void failures.push(clock.now()),
  };
}
