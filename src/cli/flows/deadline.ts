import { FerryError } from "../../base/errors.ts";
import type { Context } from "../context.ts";

/** The time that the user gave a command, from its start on. */
export interface Deadline {
  /** Whose calls, and the client that it makes, end when the time is up. */
  readonly context: Context;
  isUp(): boolean;
  /** In ms; undefined where no time was given. */
  left(): number | undefined;
  /** From now on it is others who look at the time. */
  end(): void;
}

/** @param timeout in ms; without one there is no bound */
export function makeDeadline(context: Context, timeout: number | undefined): Deadline {
  const { clock, interrupt } = context.host;
  const start = clock.elapsed();
  const [up, ended] = [new AbortController(), new AbortController()];
  const timeUp = new FerryError("pending", "the time is up, and the service has not answered", { code: "timeout" });
  if (timeout !== undefined)
    clock.sleep(timeout, ended.signal).then(
      () => up.abort(timeUp),
      () => undefined,
    );
  const host = { ...context.host, interrupt: AbortSignal.any([interrupt, up.signal]) };
  return {
    context: timeout === undefined ? context : { ...context, host },
    isUp: () => up.signal.aborted,
    left: () => (timeout === undefined ? undefined : Math.max(0, timeout - (clock.elapsed() - start))),
    end: () => ended.abort(),
  };
}
