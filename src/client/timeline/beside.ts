import type { FerryError } from "../../base/errors.ts";
import { isUnreadable } from "../http/json.ts";
import { readMissed } from "./array.ts";
import type { Update } from "./items.ts";
import { passes, type Watched } from "./source.ts";

/** A step of a look at the service itself; its end says why that wasn't all: it passes, and says nothing of the stream. */
export interface LookStep {
  readonly look: IteratorResult<Update, FerryError | undefined>;
}

/** Looks, one at a time, at what is there and was not seen yet, and at how the session stands: the stream goes on beside them. */
export interface Beside {
  /** Begins one, and ends one that is under way already. */
  look(): AsyncGenerator<Update>;
  /** Until when the stream is held back for the one that is under way, on the clock's `elapsed`; undefined where there is none. */
  heldUntil(): number | undefined;
  /**
   * The stream's next step, or the look's, which goes first where it has taken in what isn't told yet: that is older.
   * @throws FerryError what doesn't pass, or can't be read; the signal's reason
   */
  first<Step>(next: Promise<Step>): Promise<Step | LookStep>;
  /** Of a look's step what is to be told, one update at most; the look goes on when that was taken. */
  take(step: LookStep): Generator<Update>;
  /** That the stream has brought this. */
  told(update: Update): void;
  /** Ends the one that is under way; gives what it has taken in. */
  end(): AsyncGenerator<Update>;
  /** From here on none takes anything in. */
  stop(): void;
}

/** What a look brings soon comes before what the stream does: so long, in ms, the stream is held back. */
const headStart = 1_000;

export function makeBeside(watched: Watched): Beside {
  const { clock, timeline } = watched;
  let look: Look | undefined;
  let [told, isStateTold] = [0, false];
  const isAhead = (): boolean => look !== undefined && timeline.order > told;
  const tell = (update: Update): void => {
    if (update.kind === "events") told = update.order;
  };
  const stop = (): void => {
    look?.stop();
    look = undefined;
  };
  const end = async function* (): AsyncGenerator<Update> {
    if (look !== undefined && isAhead()) {
      const { done, value } = await look.step;
      if (done !== true) yield value;
    }
    stop();
  };
  return {
    async *look() {
      yield* end();
      [told, isStateTold] = [timeline.order, false];
      look = begin(watched);
    },
    heldUntil: () => look && look.began + headStart,
    async first(next) {
      if (look === undefined) return next;
      const { step, began } = look;
      const mine = step.then((each) => ({ look: each }));
      const goesFirst = isAhead() || clock.elapsed() < began + headStart;
      const first = await (goesFirst ? mine : Promise.race([mine, next]));
      return isAhead() ? mine : first;
    },
    *take({ look: { done, value } }) {
      if (done === true) {
        look = undefined;
        return;
      }
      tell(value);
      // What the stream says of the session is newer.
      if (value.kind !== "session" || !isStateTold) yield value;
      look?.goOn();
    },
    told(update) {
      tell(update);
      if (update.kind === "session") isStateTold = true;
    },
    end,
    stop,
  };
}

interface Look {
  /** When it was begun, on the clock's `elapsed`. */
  readonly began: number;
  /** The one that it is at. */
  readonly step: Promise<LookStep["look"]>;
  goOn(): void;
  stop(): void;
}

function begin(watched: Watched): Look {
  const stop = new AbortController();
  const signal = AbortSignal.any([watched.signal, stop.signal]);
  const array: Watched["array"] = { ...watched.array, read: (how) => watched.array.read({ ...how, signal }) };
  const steps = read({ ...watched, array, signal });
  const advance = (): Promise<LookStep["look"]> => {
    const step = steps.next();
    // Whoever waits for it gets the error all the same.
    step.catch(() => undefined);
    return step;
  };
  let step = advance();
  return {
    began: watched.clock.elapsed(),
    get step() {
      return step;
    },
    goOn: () => void (step = advance()),
    stop() {
      stop.abort();
      // One that stands at what it has brought holds a file open, and counts as one that hangs.
      steps.return(undefined).catch(() => undefined);
    },
  };
}

async function* read(watched: Watched): AsyncGenerator<Update, FerryError | undefined> {
  try {
    yield* readMissed(watched);
    return undefined;
  } catch (error) {
    watched.signal.throwIfAborted();
    if (!passes(error) || isUnreadable(error)) throw error;
    return error;
  }
}
