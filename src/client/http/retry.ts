import { FerryError, isCertificateError, NoAnswerError } from "../../base/errors.ts";
import type { Clock } from "../../host/host.ts";
import { isUnreadable } from "./json.ts";

/** The waits grow from here, doubling, up to `longest`; each is drawn from the whole range (full jitter). In ms. */
const first = 500;
const longest = 10_000;
/** Where nobody listens, the name isn't known, or garbage comes, waiting seldom helps, and a person waits with us. */
const mostVain = 4;

export interface Patience {
  readonly clock: Clock;
  readonly random: (size: number) => Uint8Array;
  /** How long trying again may go on, in ms. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs an attempt until it is done, fails for good, or the patience is at its end. Again: after what was refused before anything was
 * done (429, 425); where the request was never sent; and, if it may be made twice, where no answer or only a gateway's came.
 */
export async function persevere<T>(patience: Patience, repeatable: boolean, attempt: () => Promise<T>): Promise<T> {
  const end = patience.clock.elapsed() + patience.limit;
  for (let count = 0; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      patience.signal?.throwIfAborted();
      if (!(error instanceof FerryError) || !mayPass(error, repeatable, count + 1)) throw error;
      const wait = Math.max(error.retryAfter ?? 0, backoff(count, patience.random));
      if (patience.clock.elapsed() + wait >= end) throw error;
      await patience.clock.sleep(wait, patience.signal);
    }
  }
}

function mayPass(error: FerryError, repeatable: boolean, tries: number): boolean {
  if (error instanceof NoAnswerError) {
    // Whom no connection came of in all that time won't be there at once: each further try would take as long again. Nor is a certificate
    // believed a moment later.
    if (!error.sent && (error.code === "ETIMEDOUT" || isCertificateError(error.code))) return false;
    const isVain = !error.sent || isUnreadable(error);
    return (!error.sent || repeatable) && (!isVain || tries < mostVain);
  }
  return error.status !== undefined && isPassing(error.status, repeatable);
}

/**
 * Whether the same request may soon have another answer. 425 (RFC 8470, 5.2) and 429 say that nothing was done; 408 (RFC 9110, 15.5.9)
 * that the service gave up on waiting for it.
 */
export function isPassing(status: number, repeatable: boolean): boolean {
  return status === 425 || status === 429 || (repeatable && (status === 408 || isGateway(status)));
}

/** The answers of a gateway, or of a service that is starting or overloaded: what a write did is left open. */
export function isGateway(status: number | undefined): boolean {
  return status === 502 || status === 503 || status === 504;
}

/** The wait before try `count` + 2, in ms. */
export function backoff(count: number, random: (size: number) => Uint8Array): number {
  const [high = 0, low = 0] = random(2);
  const share = (high * 256 + low) / 0x1_0000;
  return Math.round(share * Math.min(longest, first * 2 ** count));
}

/** Whoever asks for a longer rest is taken for one that asks for this, in ms. */
export const longestRetryAfter = 86_400_000;

/** The three forms of an HTTP-date (RFC 9110, 5.6.7); the last has no zone, and means GMT. */
const httpDate = /^(?:\w{3}, \d\d \w{3} \d{4}|\w{6,9}, \d\d-\w{3}-\d\d) \d\d:\d\d:\d\d GMT$/u;
const zonelessDate = /^\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/u;

/** `Retry-After` in ms from `now`, a day at most (RFC 9110, 10.2.3: seconds or a date); undefined where there is none that can be read. */
export function retryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d+$/u.test(text)) return Math.min(Number(text) * 1000, longestRetryAfter);
  const date = httpDate.test(text) ? Date.parse(text) : zonelessDate.test(text) ? Date.parse(`${text} GMT`) : NaN;
  return Number.isNaN(date) ? undefined : Math.min(Math.max(0, date - now), longestRetryAfter);
}
