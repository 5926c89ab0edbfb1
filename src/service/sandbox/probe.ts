import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { asFerryError, FerryError } from "../../base/errors.ts";
import type { Limit, Probe, Sandbox, SandboxLimits, SandboxSpec } from "./driver.ts";
import type { SandboxHost } from "./host.ts";
import { makeCgroup, removeCgroup } from "./limits/cgroup.ts";
import { run } from "./processes/run.ts";

/** A program that makes namespaces, and what to do where it isn't there. */
export interface Tool {
  readonly program: string;
  readonly remedy: string;
}

const limits: SandboxLimits = { memoryMB: 512, processes: 64, cpus: 1, diskMB: 16, wall: 60_000 };

const weak = "weak: ";

/**
 * Runs inside, with what the service's own process says of system calls as $1: each line is a guarantee that would be missed silently;
 * a line for each that fails, `weak` where the system has no program to keep it.
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
  try {
    const version = await versionOf(tool);
    const folder = await mkdtemp(join(tmpdir(), "ferry-probe-"));
    try {
      const weaknesses = await tryOut(create, join(folder, "sandboxes"));
      return { works: true, reason: [version, ...weaknesses].join("; "), unenforced: await unenforced(host) };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  } catch (error) {
    const { message, hint } = asFerryError(error);
    return no(hint === undefined ? message : `${message}: ${hint}`);
  }
}

/** The limits that neither a control group nor the watch keeps here. */
export async function unenforced(host: SandboxHost): Promise<Limit[]> {
  if (host.platform !== "linux") return ["memory", "processes", "cpu"];
  const id = `probe-${process.pid}-${host.clock.now()}`;
  const { enforced } = await makeCgroup(id, limits);
  await removeCgroup(id, host.clock);
  return enforced.includes("cpu") ? [] : ["cpu"];
}

function no(reason: string): Probe {
  return { works: false, reason, unenforced: [] };
}

async function versionOf(tool: Tool): Promise<string> {
  const { stdout } = await run([tool.program, "--version"]).catch((error: unknown) => {
    throw new FerryError("failure", `${tool.program} is not there`, { hint: tool.remedy, cause: error });
  });
  return stdout.trim();
}

/** What is weak in a sandbox that is otherwise as it should be. @throws FerryError failure with what isn't */
async function tryOut(create: (spec: SandboxSpec) => Promise<Sandbox>, root: string): Promise<string[]> {
  // Several services may probe at once: the id, by which control groups are named too, is the temporary folder's.
  const sandbox = await create({ id: basename(dirname(root)), root, mounts: [], sockets: [], env: {}, limits });
  try {
    const { code, stdout, stderr } = await sandbox.exec(["sh", "-c", check, "check", await filters()], { timeout: 20_000 });
    const complaint = lastLine(stderr);
    if (code !== 0) throw new FerryError("failure", complaint, { hint: await remedyFor(complaint) });
    const lines = Buffer.from(stdout).toString("utf8").split("\n");
    const holes = lines.filter((line) => line !== "" && !line.startsWith(weak));
    if (holes.length > 0) throw new FerryError("failure", `the sandbox has a hole: ${holes.join(", ")}`);
    return lines.filter((line) => line !== "").map((line) => line.slice(weak.length));
  } finally {
    await sandbox.destroy();
  }
}

/** The filters of system calls that the service itself is under, in a container say: inside must be one more (proc_pid_status(5)). */
async function filters(): Promise<string> {
  return ((await readFile("/proc/self/status", "utf8")).match(/^Seccomp.*/gm) ?? []).join("\n");
}

function lastLine(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8").trim().split("\n").at(-1) ?? "";
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
