import { type FerryError, lineOf } from "../../base/errors.ts";
import type { Update } from "../../client/timeline/items.ts";
import { isUnreadable } from "../../client/http/json.ts";
import { isLost } from "../../client/timeline/source.ts";
import type { Context } from "../context.ts";

/** What follows this soon on trouble is of the same outage, whatever came between, in ms. */
const sameOutage = 60_000;
/** A wait that is worth a word, in ms. */
const longWait = 30_000;

export interface Troubles {
  tell(trouble: Extract<Update, { kind: "trouble" }>): Promise<void>;
  /** The service answers again. */
  over(): void;
}

/** Tells of each outage once, not of each further try, but for longer waits that the service asks for, and what is of another kind. */
export function makeTroubles(
  { print, host }: Pick<Context, "print" | "host">,
  aside: (tell: () => Promise<void>) => Promise<void>,
): Troubles {
  let [isOver, last, longest] = [true, -Infinity, 0];
  let told = new Set<string>();
  return {
    over() {
      isOver = true;
    },
    async tell({ error, wait }) {
      const now = host.clock.elapsed();
      if (isOver && now - last > sameOutage + longest) [longest, told] = [0, new Set()];
      const what = kindOf(error);
      const tells = !told.has(what) || (wait >= longWait && wait > longest);
      [isOver, last, longest] = [false, now, Math.max(longest, wait)];
      if (!tells) return;
      told.add(what);
      const when = wait < longWait ? "" : ` in ${Math.ceil(wait / 1000)} s`;
      await aside(() => print.note(`${what}, trying again${when}: ${lineOf(error)}`));
    },
  };
}

function kindOf(error: FerryError): string {
  if (isLost(error)) return "the connection is lost";
  if (isUnreadable(error)) return "what the service sends can't be read";
  if (error.status === 429) return "the service wants a rest";
  return error.kind === "unavailable" ? "the service has trouble" : "the service refuses";
}
