import { type AgentReport, listServedAgents } from "../../../flows/local/agents.ts";
import type { Check } from "../check.ts";
import { chosenHost } from "../chosen.ts";

/** The agents that the embedded service can run here. Only who uses that needs one. */
export const agents: Check = {
  name: "agents",
  async run(context) {
    const all = (await listServedAgents(context.host)).filter(({ name }) => name !== "shell");
    const installed = all.filter(({ program }) => program !== undefined);
    const says = installed.length === 0 ? "none is installed" : installed.map(describe).join(", ");
    const fault = all.find((agent) => agent.fault !== undefined)?.fault;
    if (fault !== undefined) return { verdict: "warning", says: `${says}; ${fault.message}`, hint: fault.hint };
    // An agent may fail by what it was told to do: one that works is enough.
    if (installed.some(({ ready, lastTurn }) => ready && !lastTurn?.failure)) return { verdict: "ok", says };
    if ((await chosenHost(context))?.kind !== "local") return { verdict: "ok", says: `${says}; only host local needs one` };
    return { verdict: "warning", says, hint: "ferry service agents" };
  },
};

function describe({ name, version, signedIn, ready, lastTurn }: AgentReport): string {
  const turn = lastTurn && (lastTurn.failure === "" ? "last turn went well" : "last turn failed");
  const notes = [ready ? signedIn : "no key", turn].filter(Boolean).join("; ");
  return `${[name, version].filter(Boolean).join(" ")} (${notes})`;
}
