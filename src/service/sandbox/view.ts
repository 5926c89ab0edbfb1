import { readlink, lstat } from "node:fs/promises";
import type { SandboxSpec } from "./driver.ts";
import { agent } from "./environment.ts";
import type { Folder } from "./folder/layout.ts";

/**
 * What is seen inside, as steps in order: the one list that `bwrap` and `unshare` both make true, each in its own words, over a /proc.
 * `read` and `write` bind a folder or a file, `memory` mounts a tmpfs, `link` makes a symbolic link. `devices` are null, zero, full,
 * random, urandom and tty, the links to what a process has open, and pseudo-terminals of the sandbox's own: nothing inside can reach
 * for the service's.
 */
export type Step =
  | { readonly kind: "read" | "write"; readonly source: string; readonly target: string }
  | { readonly kind: "devices"; readonly target: "/dev" }
  | { readonly kind: "memory"; readonly target: string; readonly megabytes: number }
  | { readonly kind: "link"; readonly source: string; readonly target: string };

export const workspace = "/repo";

/** What is to be made true. */
export interface View {
  readonly steps: readonly Step[];
  /** An empty folder, where a new root can be put together. */
  readonly place: string;
  /** The file with the filter of system calls; none where the processor isn't known. */
  readonly filter: string | undefined;
  /** The files and folders that the steps take from where only the service may walk. */
  readonly hidden: readonly string[];
}

/** What was made in the sandbox's folder: mount points for folders of the host's /etc, and the filter. */
export interface Made extends Pick<View, "filter"> {
  readonly etc: readonly string[];
}

/** The view of one sandbox. */
export async function viewOf(folder: Folder, spec: SandboxSpec, { etc, filter }: Made): Promise<View> {
  const steps: Step[] = [
    { kind: "read", source: "/usr", target: "/usr" },
    ...(await programFolders()),
    { kind: "read", source: folder.etc, target: "/etc" },
    ...etc.map((path): Step => ({ kind: "read", source: path, target: path })),
    { kind: "devices", target: "/dev" },
    ...(await keyNames()),
    // A control group counts what lies in them as memory; the watch can't, so that they are small beside the limit.
    { kind: "memory", target: "/dev/shm", megabytes: 64 },
    { kind: "memory", target: "/tmp", megabytes: Math.max(64, Math.floor(spec.limits.memoryMB / 4)) },
    ...spec.mounts.map((mount): Step => ({ kind: "read", ...mount })),
    // A socket is connected to through a read-only mount just as well, and the folder is no place for files that nobody counts.
    ...spec.sockets.map((mount): Step => ({ kind: "read", ...mount })),
    { kind: "write", source: folder.workspace, target: workspace },
    { kind: "write", source: folder.home, target: agent.home },
  ];
  const given = [...spec.mounts, ...spec.sockets].map((mount) => mount.source);
  return { steps, place: folder.root, filter, hidden: [folder.path, ...given] };
}

/** The names of the login's keys are to be read in /proc even where the keys aren't (keyrings(7)): a device that can't be opened covers them. */
async function keyNames(): Promise<Step[]> {
  const target = "/proc/keys";
  const status = await lstat(target).catch(() => undefined);
  return status === undefined ? [] : [{ kind: "read", source: "/dev/null", target }];
}

/** /bin and its kin: links into /usr where the system merged them, folders of their own where it didn't. */
async function programFolders(): Promise<Step[]> {
  const steps: Step[] = [];
  for (const path of ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"]) {
    const status = await lstat(path).catch(() => undefined);
    if (status?.isSymbolicLink() === true) steps.push({ kind: "link", source: await readlink(path), target: path });
    else if (status !== undefined) steps.push({ kind: "read", source: path, target: path });
  }
  return steps;
}
