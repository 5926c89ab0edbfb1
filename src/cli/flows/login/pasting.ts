import type { BrowserLogin } from "../../../auth/browser/login.ts";
import type { Context } from "../../context.ts";

const question = "Or paste here the code that the page shows, or the address that it ends at:";

/** An answer that was entered just now, in ms, is taken before the question gives way (host/countdown-prompt.ts waits a little, too). */
const settling = 100;

/**
 * Asks for what a browser ended with, and says meanwhile what becomes of answers that came otherwise: the question gives way to each such
 * line and is asked again below it, since it draws itself anew each second, over what stands there then.
 */
export function makePasting(
  prompt: Context["host"]["prompt"],
  print: Pick<Context["print"], "warn">,
  clock: Context["host"]["clock"],
): Pick<BrowserLogin, "paste" | "complain"> {
  let open: { readonly giveWay: () => void; readonly gone: Promise<void> } | undefined;
  let said: Promise<void> = Promise.resolve();

  /** Undefined where it gave way. */
  async function ask(until: number, signal: AbortSignal): Promise<string | undefined> {
    const way = new AbortController();
    let leave = (): void => undefined;
    open = { giveWay: () => way.abort(), gone: new Promise((resolve) => (leave = resolve)) };
    try {
      return await prompt.text(question, { until, signal: AbortSignal.any([signal, way.signal]) });
    } catch (error) {
      if (!way.signal.aborted || signal.aborted) throw error;
      return undefined;
    } finally {
      open = undefined;
      leave();
    }
  }

  return {
    async paste(until, signal) {
      for (;;) {
        await said;
        const text = await ask(until, signal);
        if (text !== undefined) return text;
      }
    },
    async complain(why) {
      const before = said;
      said = (async () => {
        await before;
        await clock.sleep(settling);
        const asked = open;
        asked?.giveWay();
        await asked?.gone;
        await print.warn(why);
      })();
      await said;
    },
  };
}
