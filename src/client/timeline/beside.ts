import { FerryError } from "../../base/errors.ts";
import { isUnreadable } from "../http/json.ts";
import { readRest, readState } from "./array.ts";
import type { Update } from "./items.ts";
import { passes, type Watched } from "./source.ts";
import { orTimeUp } from "./time-up.ts";

/** What a look at the service itself brought. */
export interface Looked {
  readonly updates: readonly Update[];
  /** Why that isn't all: it passes, and says nothing of the stream. */
  readonly trouble?: FerryError;
}

/** Looks, one at a time, at what is there and was not seen yet, and at how the session stands: the stream goes on beside them. */
export interface Beside {
  /** Whether one is under way. */
  looks(): boolean;
  /** Begins one. What it brings soon comes before what the stream does: so long the stream is held back. */
  look(): Promise<void>;
  /**
   * The stream's next step, or what the look brought, which goes first where it has taken in what isn't told yet: that is older.
   * @throws FerryError what doesn't pass, or can't be read; the signal's reason
   */
  first<Step>(next: Promise<Step>): Promise<Step | Looked>;
  /** That the stream has brought this. */
  told(update: Update): void;
  /** The end of a look: what of it is to be told. */
  take(looked: Looked): readonly Update[];
  /** Ends the one that is under way; gives what it has taken in. */
  end(): AsyncGenerator<Update>;
  /** From here on none takes anything in. */
  stop(): void;
}

/** In ms. */
const headStart = 1_000;

export function makeBeside(watched: Watched): Beside {
  const { clock, timeline } = watched;
  let look: Look | undefined;
  let [told, isStateTold] = [0, false];
  const isAhead = (): boolean => look !== undefined && timeline.order > told;
  const take = ({ updates }: Looked): readonly Update[] => {
    look = undefined;
    return isStateTold ? updates.filter(({ kind }) => kind !== "session") : updates;
  };
  const stop = (): void => {
    look?.stop();
    look = undefined;
  };
  return {
    looks: () => look !== undefined,
    async look() {
      [told, isStateTold] = [timeline.order, false];
      look = begin(watched);
      const done = look.done.catch(() => undefined);
      await orTimeUp(done, headStart, clock);
    },
    async first(next) {
      if (look === undefined) return next;
      const { done } = look;
      const first = isAhead() ? await done : await Promise.race([done, next]);
      return isAhead() ? done : first;
    },
    told(update) {
      if (update.kind === "events") told = update.order;
      else if (update.kind === "session") isStateTold = true;
    },
    take,
    async *end() {
      if (look !== undefined && isAhead()) yield* take(await look.done);
      stop();
    },
    stop,
  };
}

interface Look {
  readonly done: Promise<Looked>;
  stop(): void;
}

function begin(watched: Watched): Look {
  const stop = new AbortController();
  const signal = AbortSignal.any([watched.signal, stop.signal]);
  const array: Watched["array"] = { read: (how) => watched.array.read({ ...how, signal }) };
  const done = read({ ...watched, array, signal });
  // Whoever waits for it gets the error all the same.
  done.catch(() => undefined);
  return { done, stop: () => stop.abort() };
}

async function read(watched: Watched): Promise<Looked> {
  const updates: Update[] = [];
  try {
    for await (const update of readRest(watched, 0)) updates.push(update);
    for await (const update of readState(watched)) updates.push(update);
    return { updates };
  } catch (error) {
    watched.signal.throwIfAborted();
    if (!(error instanceof FerryError)) throw error;
    // What was taken in is told, whatever came then.
    if (updates.length === 0 && (!passes(error) || isUnreadable(error))) throw error;
    return { updates, trouble: error };
  }
}
