import { retryAfter } from "../../client/http/retry.ts";
import type { Caller } from "./caller.ts";
import { isAnswer, responseOf } from "./failure.ts";

/** So long, in ms: a person waits, and a code soon ends; a key that is to end has less time in all (cli/flows/login/end.ts). */
export const patience = { login: 15_000, revocation: 3000 };
const shortest = 1000;
const mostTries = 4;

/**
 * Makes an attempt of a login again after the rest that the service asks for: 429 says that nothing was done (RFC 6585, 4). Not for a
 * question that is asked again and again anyway, which has a pace of its own.
 */
export async function rested<T>({ clock, signal }: Caller, patience: number, attempt: () => Promise<T>): Promise<T> {
  for (let [left, tries] = [patience, 1]; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      const response = isAnswer(error) ? undefined : responseOf(error);
      const asked =
        response?.status === 429 ? retryAfter(response.headers.get("retry-after") ?? undefined, clock.now()) : undefined;
      const rest = Math.max(asked ?? Infinity, shortest);
      if (rest > left || tries >= mostTries) throw error;
      left -= rest;
      await clock.sleep(rest, signal);
    }
  }
}
