import { existsSync, readFileSync, readdirSync } from "node:fs";

const closeOnExec = 0o2000000;

/**
 * Our descriptors from 3 on that a child would inherit, ascending, from /proc/self/fdinfo (proc_pid_fdinfo(5)); none without /proc.
 * Node's own are closed on exec, and so are the first few in a row that our parent left open, but no others.
 */
export function inheritable(): number[] {
  if (!existsSync("/proc/self/fdinfo")) return [];
  const descriptors = readdirSync("/proc/self/fdinfo").map(Number);
  return descriptors.filter((descriptor) => descriptor > 2 && isInheritable(descriptor)).sort((one, other) => one - other);
}

function isInheritable(descriptor: number): boolean {
  try {
    const flags = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // The descriptor of the very listing, which is closed by now.
    return false;
  }
}
