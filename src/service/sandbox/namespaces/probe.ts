import { readFile } from "node:fs/promises";
import { FerryError } from "../../../base/errors.ts";
import type { Probe, Sandbox, SandboxSpec } from "../driver.ts";
import type { SandboxHost } from "../host.ts";
import { makeCgroup, removeCgroup } from "../limits/cgroup.ts";
import { run } from "../processes/run.ts";
import { answer, limits, no, tryOut, weak } from "../try-out.ts";

/** A program that makes namespaces, and what to do where it isn't there. */
export interface Tool {
  readonly program: string;
  readonly remedy: string;
}

/**
 * With what the service's own process says of system calls as $1; `weak` where the system has no program to keep a guarantee.
 */
const check = `
[ "$(id -u)" = 1000 ] || echo "the user inside is not the agent"
(: > /repo/probe && : > "$HOME/probe") || echo "workspace and home can't be written"
! (: > /proc/sys/kernel/core_pattern) 2>/dev/null || echo "/proc/sys can be written"
! unshare --user true 2>/dev/null || echo "user namespaces can be made inside"
grep -q 127.0.0.1 /proc/net/fib_trie || echo "${weak}lo is down inside: there is neither ip nor perl"
[ "$(grep ^Seccomp /proc/self/status)" != "$1" ] || echo "${weak}the keyrings of the service's login are open inside: shutting them needs perl or util-linux 2.41, and x86_64 or aarch64"`;

/** Makes a sandbox, looks around in it and removes it. Never throws: that it doesn't work is the answer. */
export async function probeNamespaces(
  tool: Tool,
  create: (spec: SandboxSpec) => Promise<Sandbox>,
  host: SandboxHost,
): Promise<Probe> {
  if (host.platform !== "linux") return no("needs Linux");
  return answer(async () => {
    const reason = await versionOf(tool);
    const found = await tryOut(create, { script: check, args: [await filters()], remedyFor });
    const { unenforced, weak } = await shortcomings(host);
    return { reason, unenforced: [...found.unenforced, ...unenforced], weak: [...found.weak, ...weak] };
  });
}

/**
 * The limits that neither a control group nor the watch keeps here, and what the watch doesn't see.
 * @param groups where the control groups are, if not where the system has them
 */
export async function shortcomings(host: SandboxHost, groups?: string): Promise<Pick<Probe, "unenforced" | "weak">> {
  if (host.platform !== "linux") return { unenforced: ["memory", "processes", "cpu"], weak: [] };
  const id = `probe-${process.pid}-${host.clock.now()}`;
  const { enforced } = await makeCgroup(id, limits, groups);
  await removeCgroup(id, host.clock);
  return { unenforced: enforced.includes("cpu") ? [] : ["cpu"], weak: enforced.includes("memory") ? [] : [unseen] };
}

/** Such memory is nobody's resident set (proc_pid_status(5)); a control group counts it. */
const unseen =
  "the limit of memory is kept for what processes map alone, not for files in memory (memfd), shared memory and sockets: that needs a control group, as root or in a delegated one of version 2";

async function versionOf(tool: Tool): Promise<string> {
  const { stdout } = await run([tool.program, "--version"]).catch((error: unknown) => {
    throw new FerryError("failure", `${tool.program} is not there`, { hint: tool.remedy, cause: error });
  });
  return stdout.trim();
}

/** The filters of system calls that the service itself is under, in a container say: inside must be one more (proc_pid_status(5)). */
async function filters(): Promise<string> {
  return ((await readFile("/proc/self/status", "utf8")).match(/^Seccomp.*/gm) ?? []).join("\n");
}

/** The settings of the system that forbid user namespaces, as the command that allows them. */
async function remedyFor(complaint: string): Promise<string | undefined> {
  if (!/not permitted|denied|no space|namespace/i.test(complaint)) return undefined;
  if ((await setting("kernel/apparmor_restrict_unprivileged_userns")) === "1")
    return "AppArmor forbids user namespaces: `sysctl kernel.apparmor_restrict_unprivileged_userns=0`, or a profile that allows them";
  if ((await setting("kernel/unprivileged_userns_clone")) === "0")
    return "user namespaces are switched off: `sysctl kernel.unprivileged_userns_clone=1`";
  if ((await setting("user/max_user_namespaces")) === "0")
    return "user namespaces are switched off: `sysctl user.max_user_namespaces=15000`";
  return "namespaces are forbidden here, as in most containers: start the container with `--privileged`, or the service outside of it";
}

async function setting(name: string): Promise<string | undefined> {
  return readFile(`/proc/sys/${name}`, "utf8").then(
    (text) => text.trim(),
    () => undefined,
  );
}
