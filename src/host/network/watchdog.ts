import { NoAnswerError } from "../../base/errors.ts";
import type { SendRequest } from "../host.ts";

/** The caller's signal and the bound on silence as one signal. */
export interface Watchdog {
  readonly signal: AbortSignal;
  /** Silence counts from now on. */
  expect(): void;
  /** Silence no longer counts. */
  rest(): void;
  /** Lets go of the caller's signal. */
  end(): void;
}

/** @param name whose silence it is, for the error */
export function makeWatchdog({ signal, idleTimeout = 0 }: SendRequest, name: string): Watchdog {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const follow = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", follow, { once: true });
  const rest = () => clearTimeout(timer);
  return {
    signal: controller.signal,
    expect: () => {
      rest();
      if (idleTimeout > 0) timer = setTimeout(() => controller.abort(silence(name, idleTimeout)), idleTimeout);
    },
    rest,
    end: () => {
      rest();
      signal?.removeEventListener("abort", follow);
    },
  };
}

function silence(name: string, idleTimeout: number): NoAnswerError {
  const message = `${name} sent nothing for ${Math.round(idleTimeout / 100) / 10} s`;
  return new NoAnswerError(message, {
    sent: true,
    code: "ETIMEDOUT",
    hint: "is it the right address? the service may hang, or be busy: try again later",
  });
}
