import type { Clock } from "../../host/host.ts";

/** Counts what went wrong by who did it. */
export interface Failures {
  /** In how many seconds there is patience again; 0 where there is some. */
  wait(who: string): number;
  add(who: string): void;
  forget(who: string): void;
}

/** Such a wait. */
export function inWords(seconds: number): string {
  return seconds < 60 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}

/** `most` failures of each within `window` ms. In memory alone: a restart forgives all. */
export function makeFailures(most: number, window: number, clock: Clock): Failures {
  const times = new Map<string, readonly number[]>();
  const recent = (who: string): readonly number[] => (times.get(who) ?? []).filter((at) => at > clock.elapsed() - window);
  return {
    wait(who) {
      const [oldest] = recent(who).slice(-most);
      if (oldest === undefined || recent(who).length < most) return 0;
      return Math.ceil((oldest + window - clock.elapsed()) / 1000);
    },
    add(who) {
      for (const other of times.keys()) if (recent(other).length === 0) times.delete(other);
      times.set(who, [...recent(who), clock.elapsed()]);
    },
    forget: (who) => void times.delete(who),
  };
}
