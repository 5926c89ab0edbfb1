import type { GitChild } from "../../git/git.ts";
import type { Context } from "../context.ts";

/** How long a git child that outlived its ferry may go on, in ms. */
const childPatience = 20_000;

/** Waits for a git of an earlier ferry, which may be writing the tree at this moment; one that doesn't end is ended. */
export async function outlive(child: GitChild, { host }: Pick<Context, "host">): Promise<void> {
  const deadline = host.clock.elapsed() + childPatience;
  const runs = async () => child.startTime !== undefined && (await host.processes.startTime(child.pid)) === child.startTime;
  while (await runs()) {
    // With what it started: it has a session of its own (announce in git.ts).
    if (host.clock.elapsed() >= deadline) host.processes.kill(host.platform === "win32" ? child.pid : -child.pid, "SIGKILL");
    await host.clock.sleep(50, host.interrupt);
  }
}
