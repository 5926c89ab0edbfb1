import type { Context } from "../../../context.ts";
import type { Check } from "../check.ts";
import { chosenHost } from "../chosen.ts";

/** What is off by more than this makes times wrong to read; nothing in a login depends on it. */
const tolerance = 120_000;

export const clock: Check = {
  name: "clock",
  async run(context) {
    const chosen = await chosenHost(context);
    if (chosen === undefined) return { verdict: "skipped", says: "there is no service to compare it with" };
    if (chosen.kind === "local") return { verdict: "ok", says: "the embedded service goes by the same" };
    const theirs = await timeOf(context, chosen.url);
    if (theirs === undefined) return { verdict: "skipped", says: "not compared: the service wasn't reached" };
    if (Number.isNaN(theirs)) return { verdict: "skipped", says: "the service doesn't tell its time" };
    const off = Math.abs(theirs - context.host.clock.now());
    if (off <= tolerance) return { verdict: "ok", says: "agrees with the service" };
    const hint = "set it, or let the system do so (NTP)";
    return { verdict: "warning", says: `${spoken(off)} off from the service: times will look wrong`, hint };
  },
};

/**
 * Epoch ms; NaN where the answer doesn't tell it, undefined without one, which is for the check of the service to say. Any answer will do,
 * and none needs the key.
 */
async function timeOf({ host }: Context, url: string): Promise<number | undefined> {
  try {
    const response = await host.network.send({
      method: "HEAD",
      url: `${url}/`,
      headers: {},
      signal: host.interrupt,
      idleTimeout: 5000,
    });
    await response.cancel();
    return Date.parse(response.headers["date"] ?? "");
  } catch {
    host.interrupt.throwIfAborted();
    return undefined;
  }
}

function spoken(ms: number): string {
  const hours = ms / 3_600_000;
  if (hours >= 48) return `${Math.round(hours / 24)} days`;
  return hours >= 2 ? `${Math.round(hours)} hours` : `${Math.round(ms / 60_000)} minutes`;
}
