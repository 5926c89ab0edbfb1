import { problem } from "../client/http/problem.ts";
import type { Clock, SendResponse } from "../host/host.ts";

/**
 * Whether the service is called by a name that isn't its own (RFC 9110, 15.5.20), as one that checks `Host` is through a forwarded port:
 * then nothing more is asked of it.
 */
export function isMisdirected({ status }: SendResponse): boolean {
  return status === 421;
}

/** The same in the service's own words, which name the address that it goes by. */
export function misdirected(answer: SendResponse, asked: { method: string; url: string; clock: Clock }): Promise<Error> {
  return problem(answer, { ...asked, key: { value: "", source: "" } });
}
