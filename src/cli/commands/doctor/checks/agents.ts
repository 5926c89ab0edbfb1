import { listAgents } from "../../../flows/local/agents.ts";
import type { Check } from "../check.ts";
import { chosenHost } from "../chosen.ts";

/** The agents that the embedded service can run here. Only who uses that needs one. */
export const agents: Check = {
  name: "agents",
  async run(context) {
    const all = (await listAgents(context.host)).filter(({ name }) => name !== "shell");
    const ready = all.filter((agent) => agent.ready);
    if (ready.length > 0) {
      const said = ready.map(({ name, version, signedIn }) => `${[name, version].filter(Boolean).join(" ")} (${signedIn ?? ""})`);
      return { verdict: "ok", says: said.join(", ") };
    }
    const installed = all.filter(({ program }) => program !== undefined).map(({ name }) => name);
    const says = installed.length === 0 ? "none is installed" : `without a key: ${installed.join(", ")}`;
    if ((await chosenHost(context))?.kind !== "local") return { verdict: "ok", says: `${says}; only host local needs one` };
    return { verdict: "warning", says, hint: "ferry service agents" };
  },
};
