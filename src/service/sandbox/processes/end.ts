import { FerryError } from "../../../base/errors.ts";
import { count } from "../../../base/text.ts";
import type { SandboxHost } from "../host.ts";
import { findMembers, type Search } from "./members.ts";
import type { ProcessId } from "./table.ts";

/** How long processes may take to die of SIGKILL, in ms: one that waits for a disk can. */
const patience = 10_000;

/**
 * Kills all that a search finds, and what they start meanwhile, and resolves when none runs any more. Gives how many there were.
 * Children go before their parents' next look: a namespace's init takes all others in it along, and the kernel reaps them before it.
 * @throws FerryError failure naming those that didn't die; what is left is for the sweep
 */
export async function endMembers(search: Search, host: SandboxHost): Promise<number> {
  const seen = new Map<string, ProcessId>();
  const deadline = host.clock.elapsed() + patience;
  for (let pause = 2; ; pause = Math.min(pause * 2, 100)) {
    // What was seen stays a root: a child whose parent died first is found through it no more.
    const members = findMembers({ ...search, roots: [...search.roots, ...seen.values()] });
    if (members.length === 0) return seen.size;
    for (const member of members) {
      seen.set(`${member.pid} ${member.started}`, { pid: member.pid, started: member.started });
      host.processes.kill(member.pid, "SIGKILL");
    }
    if (host.clock.elapsed() > deadline)
      throw new FerryError("failure", `${count(members.length, "process", "processes")} of a sandbox can't be ended`, {
        hint: "they are tried again when the service starts next",
        details: members.map((member) => `process ${member.pid}`),
      });
    await host.clock.sleep(pause);
  }
}
