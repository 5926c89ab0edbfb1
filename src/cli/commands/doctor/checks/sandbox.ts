import { findLocal } from "../../../flows/local/find.ts";
import { lookAtSandbox } from "../../../flows/local/sandbox.ts";
import { unlocked } from "../../../flows/local/unlocked.ts";
import type { Context } from "../../../context.ts";
import type { Check, Finding } from "../check.ts";
import { chosenHost } from "../chosen.ts";

/** What locks in the embedded service's agents here, tried out. Only who uses that needs one. */
export const sandbox: Check = {
  name: "sandbox",
  async run(context) {
    const running = await findLocal(context.host);
    const open = running && unlocked(running);
    if (open !== undefined) {
      const says = `the embedded service that runs has none (${open})`;
      return { verdict: "warning", says, hint: "with one: ferry service stop, then ferry service start" };
    }
    return beside(running?.sandbox, await tryOut(context));
  },
};

async function tryOut(context: Context): Promise<Tried> {
  const { works, faults, passed } = await lookAtSandbox(context);
  if (works !== undefined) {
    // What was tried before is a hint only: any of them is as good.
    const hint = passed.length === 0 ? undefined : `not ${passed.join("; not ")}`;
    return { works, verdict: faults.length > 0 ? "warning" : "ok", says: [works, ...faults].join("; "), hint };
  }
  const says = `none works here: ${passed.join("; ")}`;
  if ((await chosenHost(context))?.kind !== "local") return { works, verdict: "ok", says: `${says}; only host local needs one` };
  return { works, verdict: "failed", says, hint: "on a machine that is thrown away: ferry serve --sandbox process" };
}

interface Tried extends Finding {
  /** What works, which begins with its name. */
  readonly works: string | undefined;
}

/** A service that runs may have been started with another one than the next would have. */
function beside(running: string | undefined, { works, ...tried }: Tried): Finding {
  if (running === undefined || works?.startsWith(running) === true) return tried;
  const verdict = tried.verdict === "ok" ? "warning" : tried.verdict;
  return { ...tried, verdict, says: `the embedded service that runs has ${running}; the next one: ${tried.says}` };
}
