import { readdir } from "node:fs/promises";
import { asFerryError } from "../../base/errors.ts";
import type { Swept, Sweeping } from "./driver.ts";
import { type Folder, folderOf } from "./folder/layout.ts";
import { giveUp, nothingToRescue, type Rescue } from "./folder/rescue.ts";
import type { SandboxHost } from "./host.ts";
import { removeCgroup } from "./limits/cgroup.ts";
import { removeRecorded } from "./oci/recorded.ts";
import { endMembers } from "./processes/end.ts";
import { recorded } from "./processes/records.ts";

/**
 * Ends each sandbox under `root` that isn't to be kept: its processes by number and start time as noted, and by label; its containers by
 * label. Its folder goes into the trash as it is: a service that starts waits for none of it to be removed. One that can't be removed is
 * left for the next sweep, and keeps nobody from starting.
 */
export async function sweep(
  root: string,
  alive: ReadonlySet<string>,
  host: SandboxHost,
  rescue: Rescue = nothingToRescue,
): Promise<Sweeping> {
  const swept: Swept[] = [];
  const left: string[] = [];
  for (const id of await sandboxes(root)) {
    if (alive.has(id)) continue;
    await removeSandbox(root, id, host, rescue).then(
      (done) => swept.push(...done),
      (error: unknown) => left.push(`sandbox ${id}: ${asFerryError(error).message}`),
    );
  }
  return { swept, left };
}

async function removeSandbox(root: string, id: string, host: SandboxHost, rescue: Rescue): Promise<Swept[]> {
  const folder = folderOf(root, id);
  const found = await giveUp(
    root,
    folder,
    () => end(root, id, folder, host),
    () => rescue(id),
  );
  return [...found, "folder" as const].map((what) => ({ id, what }));
}

async function end(root: string, id: string, folder: Folder, host: SandboxHost): Promise<("process" | "container")[]> {
  const ended = await endMembers({ roots: await recorded(folder.records), labelled: folder.path }, host);
  const contained = await removeRecorded(folder, { root, id }, host);
  await removeCgroup(id, host.clock);
  return [...(ended > 0 ? (["process"] as const) : []), ...(contained ? (["container"] as const) : [])];
}

async function sandboxes(root: string): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}
