import type { Update } from "../../client/timeline/items.ts";
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

/** Tells of each outage once, not of each further try, but for longer waits that the service asks for. */
export function makeTroubles(
  { print, host }: Pick<Context, "print" | "host">,
  aside: (tell: () => Promise<void>) => Promise<void>,
): Troubles {
  let [isOver, last, longest] = [true, -Infinity, 0];
  return {
    over() {
      isOver = true;
    },
    async tell({ error, wait }) {
      const now = host.clock.elapsed();
      const isNew = isOver && now - last > sameOutage + longest;
      if (isNew) longest = 0;
      const tells = isNew || (wait >= longWait && wait > longest);
      [isOver, last, longest] = [false, now, Math.max(longest, wait)];
      if (!tells) return;
      const when = wait < longWait ? "" : ` in ${Math.ceil(wait / 1000)} s`;
      await aside(() => print.note(`the connection is lost, trying again${when}: ${error.message}`));
    },
  };
}
