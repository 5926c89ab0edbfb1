import { problem } from "../client/http/problem.ts";
import type { Clock, SendResponse } from "../host/host.ts";

/**
 * Asks nothing more of a service that is called by a name that isn't its own (421: RFC 9110, 15.5.20), as one that checks `Host` is
 * through a forwarded port.
 * @throws FerryError failure in the service's own words, which name the address that it goes by
 */
export async function refuseMisdirected(
  answer: SendResponse,
  asked: { method: string; url: string; clock: Clock },
): Promise<void> {
  if (answer.status === 421)
    throw await problem(answer, { ...asked, baseUrl: new URL(asked.url).origin, key: { value: "", source: "" } });
}
