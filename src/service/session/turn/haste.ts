import { asFerryError, FerryError } from "../../../base/errors.ts";
import type { SessionsDeps } from "../deps.ts";
import type { Bounds } from "../workspace/room.ts";

/** Where one begins, saving may take so long. */
export interface Occasions {
  /** The turn is stopped, or its sandbox over a limit: the whole of `limits.saving`. */
  readonly hurry: AbortSignal;
  /** The service stops, or the disk is full: half of it. */
  readonly rush: AbortSignal;
}

/** How long saving may take until it is told, in ms. */
const unnoticed = 2000;

/** Which part of the time a look at the files may take. They are the agent's, and so are the filters that read them; its commits come home after it. */
const lookShare = 2 / 3;

/**
 * Bounds what the service does in a sandbox once there is a reason to: all of it together, however many steps it has, since each of
 * them may wait for what the agent set up for ever.
 */
export class Haste {
  /** For the room: what is begun, or goes on, when they are over fails. */
  readonly bounds: Bounds;
  private readonly deps: SessionsDeps;
  private readonly over = new AbortController();
  private readonly running: Promise<unknown>;

  /** @param tell says why saving is bounded, where it takes long */
  constructor(deps: SessionsDeps, { hurry, rush }: Occasions, tell: () => Promise<void>) {
    this.deps = deps;
    const look = new AbortController();
    const all = new AbortController();
    this.bounds = { look: look.signal, all: all.signal };
    const { saving } = deps.limits;
    this.running = Promise.all([
      this.after(hurry, unnoticed, tell),
      ...[
        { from: hurry, ms: saving },
        { from: rush, ms: saving / 2 },
      ].flatMap(({ from, ms }) => [
        this.after(from, ms * lookShare, () => look.abort(tooLate("looking at the files", ms * lookShare))),
        this.after(from, ms, () => all.abort(tooLate("saving", ms))),
      ]),
    ]);
  }

  /** Nothing is bounded any more. */
  async end(): Promise<void> {
    this.over.abort();
    await this.running;
  }

  /** Does it `ms` after the signal, unless all is over before. */
  private async after(from: AbortSignal, ms: number, act: () => void | Promise<void>): Promise<void> {
    const over = this.over.signal;
    await aborted(AbortSignal.any([from, over]));
    const due = await this.deps.host.clock.sleep(ms, over).then(
      () => true,
      () => false,
    );
    try {
      if (due) await act();
    } catch (error) {
      this.deps.log(asFerryError(error).message);
    }
  }
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

function tooLate(what: string, ms: number): FerryError {
  return new FerryError("failure", `${what} took longer than ${Math.max(1, Math.round(ms / 1000))} s`);
}
