import type { SandboxDriver } from "../driver.ts";
import { agent } from "../environment.ts";
import type { SandboxHost } from "../host.ts";
import { makeNamespaceDriver } from "../namespaces.ts";
import type { Step } from "../view.ts";

/** bubblewrap: a small program for just this, on every Linux distribution; the fastest. */
export function bwrap(host: SandboxHost): SandboxDriver {
  return makeNamespaceDriver(
    {
      name: "bwrap",
      program: "bwrap",
      remedy: "install bubblewrap: `apt install bubblewrap`, or your system's package of that name",
      words: ({ steps, filter }) => [...program(filter), ...locks, ...steps.flatMap(flags), ...finish, "--"],
    },
    host,
  );
}

/** It takes the filter of system calls from a descriptor, which it closes. */
function program(filter: string | undefined): string[] {
  return filter === undefined ? ["bwrap"] : ["sh", "-c", 'exec bwrap --seccomp 3 "$@" 3< "$0"', filter];
}

const locks = [
  ...["--unshare-all", "--unshare-user", "--disable-userns"],
  ...["--uid", String(agent.uid), "--gid", String(agent.uid), "--hostname", "ferry"],
  // Its own first process reports the command's end before the others' in the namespace; ours is waited for to the last.
  ...["--die-with-parent", "--new-session", "--as-pid-1"],
  ...["--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"],
];

const finish = ["--remount-ro", "/dev", "--remount-ro", "/"];

function flags(step: Step): string[] {
  switch (step.kind) {
    case "read":
      return ["--ro-bind", step.source, step.target];
    case "write":
      return ["--bind", step.source, step.target];
    case "devices":
      return ["--dev", step.target];
    case "memory":
      return ["--perms", "1777", "--size", String(step.megabytes * 1024 * 1024), "--tmpfs", step.target];
    case "link":
      return ["--symlink", step.source, step.target];
  }
}
