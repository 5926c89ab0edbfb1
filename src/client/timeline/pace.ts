import type { Clock } from "../../host/host.ts";

/** Between two polls, in ms: close behind while events flow, and within the two requests a second that services bear. */
const fastest = 1_000;
const slowest = 5_000;
/** The session itself is read again after this many polls that brought nothing. */
const quietPolls = 3;

export interface Pace {
  /** Whether to read the session too. `news`: whether this poll brought something. */
  wantsState(news: boolean): boolean;
  rest(): Promise<void>;
}

/**
 * The rhythm of a source that polls: fast while events flow, slower when it is quiet.
 * @param doubted what came before this failed: the session is read with the first poll, too
 */
export function pace({ clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal }, doubted: boolean): Pace {
  let interval = fastest;
  let quiet = doubted ? quietPolls - 1 : 0;
  return {
    wantsState(news) {
      interval = news ? fastest : Math.min(slowest, interval * 1.5);
      quiet = news ? 0 : quiet + 1;
      return news || quiet % quietPolls === 0;
    },
    rest: () => clock.sleep(interval, signal),
  };
}
