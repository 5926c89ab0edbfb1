import type { Probe, Sandbox, SandboxSpec } from "../driver.ts";
import type { SandboxHost } from "../host.ts";
import { answer, limits, tryOut, unkept, weak } from "../try-out.ts";
import { type Engine, remedyFor } from "./engine.ts";
import type { Image } from "./image.ts";

/** The same file in version 2 and 1 of control groups, as it is seen in a container. */
const groups: readonly (readonly [limit: string, files: string, expected: string])[] = [
  ["memory", "memory.max memory/memory.limit_in_bytes", String(limits.memoryMB * 1024 * 1024)],
  ["processes", "pids.max pids/pids.max", String(limits.processes)],
  ["cpu", "cpu.max cpu/cpu.cfs_quota_us cpu,cpuacct/cpu.cfs_quota_us", String(limits.cpus * 100_000)],
];

const kept = groups.map(
  ([limit, files, expected]) =>
    `(cd /sys/fs/cgroup && cat ${files} 2>/dev/null) | grep -q "^${expected}\\\\b" || echo "${unkept}${limit}"`,
);

/** Node takes no boolean for an exit code. */
const checkNode =
  'const [major, minor] = process.versions.node.split(".").map(Number); process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1)';

/** Which programs the image must have is asked too: an agent finds nothing else. $1 is "image" where it is one, with programs of its own. */
const check = `
grep -q '^CapBnd:.*0000000000000000' /proc/self/status || echo "capabilities can be had inside"
grep -q '^NoNewPrivs:.*1' /proc/self/status || echo "rights can be gained inside"
(: > /repo/probe && : > "$HOME/probe") || echo "workspace and home can't be written"
grep -q '^[0-9]* [0-9]* [^ ]* [^ ]* / ro' /proc/self/mountinfo || echo "the root can be written"
(: > /tmp/probe) || echo "/tmp can't be written, since the image has it so"
! (: > /proc/sys/kernel/core_pattern) 2>/dev/null || echo "/proc/sys can be written"
! unshare --user true 2>/dev/null || echo "user namespaces can be made inside, which needs perl or util-linux 2.41 in the image to forbid"
[ "$(tail -n +3 /proc/net/dev | grep -vc ' lo:')" = 0 ] || echo "there is a network inside"
[ "$(git --version 2>/dev/null)" ] || echo "there is no git in the image"
[ "$1" != image ] || node -e '${checkNode}' 2>/dev/null || echo "there is no node >= 20.19 in the image"
grep -q '^Seccomp:.*2' /proc/self/status || echo "${weak}the engine doesn't filter system calls"
perl -e 1 2>/dev/null || setpriv --help 2>/dev/null | grep -q -e --seccomp-filter || echo "${weak}io_uring and sockets of other families are as open as the engine leaves them: shutting them needs perl or util-linux 2.41 in the image"
${kept.join("\n")}`;

/** Runs a container as an agent's would be, and looks around in it. Never throws. */
export async function probeContainers(
  known: () => Promise<{ engine: Engine; image: Image }>,
  create: (spec: SandboxSpec) => Promise<Sandbox>,
  host: SandboxHost,
): Promise<Probe> {
  return answer(async () => {
    const { engine, image } = await known();
    const args = [image.showsSystem ? "system" : "image"];
    const found = await tryOut(create, { script: check, args, remedyFor: (complaint) => Promise.resolve(remedyFor(complaint)) });
    const shown = image.showsSystem ? "with this machine's programs" : image.name;
    const virtual =
      host.platform === "linux"
        ? []
        : ["only agents that call no model run: its gateway's socket doesn't lead into a virtual machine"];
    const ofItsOwn = image.showsSystem ? {} : { image: image.name };
    return { ...found, ...ofItsOwn, reason: `${engine.version}, ${shown}`, weak: [...found.weak, ...virtual] };
  });
}
