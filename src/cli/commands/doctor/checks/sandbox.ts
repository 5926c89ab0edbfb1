import { lookAtSandbox } from "../../../flows/local/sandbox.ts";
import type { Check } from "../check.ts";
import { chosenHost } from "../chosen.ts";

/** What locks in the embedded service's agents here, tried out. Only who uses that needs one. */
export const sandbox: Check = {
  name: "sandbox",
  async run(context) {
    const { works, faults, passed } = await lookAtSandbox(context);
    if (works !== undefined) {
      // What was tried before is a hint only: any of them is as good.
      const hint = passed.length === 0 ? undefined : `not ${passed.join("; not ")}`;
      return { verdict: faults.length > 0 ? "warning" : "ok", says: [works, ...faults].join("; "), hint };
    }
    const says = `none works here: ${passed.join("; ")}`;
    if ((await chosenHost(context))?.kind !== "local") return { verdict: "ok", says: `${says}; only host local needs one` };
    return { verdict: "failed", says, hint: "on a machine that is thrown away: ferry serve --sandbox process" };
  },
};
