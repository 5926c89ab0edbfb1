import type { Host } from "../host/host.ts";

/** A process, told apart from a later one with its pid, and from one of another PID namespace, boot or machine. */
export interface Holder {
  readonly pid: number;
  readonly startTime: string;
  /** As `Processes.space` has it; missing where the system has only one, and in what older versions wrote. */
  readonly space?: string;
}

export async function ownHolder({ processes, pid }: Pick<Host, "processes" | "pid">): Promise<Holder> {
  const space = await processes.space();
  return { pid, startTime: (await processes.startTime(pid)) ?? "", ...(space !== undefined && { space }) };
}

/**
 * Whether the holder may still run. One of before this machine's last boot doesn't. One in another space (a container that shares our
 * home, another machine) can't be asked for: of it only the age tells, which is what `isRecent` is for.
 */
export async function mayRun(
  { processes }: Pick<Host, "processes">,
  holder: Holder,
  isRecent: () => boolean | Promise<boolean>,
): Promise<boolean> {
  if (holder.space !== undefined) {
    const [theirs, ours] = [partsOf(holder.space), partsOf((await processes.space()) ?? "")];
    const isSameBoot = theirs.boot === ours.boot;
    if (!isSameBoot && theirs.machine !== "" && theirs.machine === ours.machine) return false;
    if (!isSameBoot || theirs.namespace !== ours.namespace) return isRecent();
  }
  return (await processes.startTime(holder.pid)) === holder.startTime;
}

/** As `Processes.space` joins them; older versions told no machine. */
function partsOf(space: string): { readonly namespace: string; readonly boot: string; readonly machine: string } {
  const [namespace = "", boot = "", machine = ""] = space.split(" ");
  return { namespace, boot, machine };
}
