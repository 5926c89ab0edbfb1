import { readdir } from "node:fs/promises";
import { asFerryError, FerryError } from "../../base/errors.ts";
import type { Swept } from "./driver.ts";
import { folderOf } from "./folder/layout.ts";
import { throwAway } from "./folder/trash.ts";
import type { SandboxHost } from "./host.ts";
import { removeCgroup } from "./limits/cgroup.ts";
import { removeRecorded } from "./oci/recorded.ts";
import { endMembers } from "./processes/end.ts";
import { recorded } from "./processes/records.ts";

/**
 * Ends each sandbox under `root` that isn't to be kept: its processes by number and start time as noted, and by label; its containers by
 * label. Its folder goes into the trash as it is: a service that starts waits for none of it to be removed.
 * @throws FerryError failure after all were tried, with a line for each that couldn't be removed
 */
export async function sweep(root: string, alive: ReadonlySet<string>, host: SandboxHost): Promise<Swept[]> {
  const swept: Swept[] = [];
  const failures: string[] = [];
  for (const id of await sandboxes(root)) {
    if (alive.has(id)) continue;
    await removeSandbox(root, id, host).then(
      (done) => swept.push(...done),
      (error: unknown) => failures.push(`${id}: ${asFerryError(error).message}`),
    );
  }
  if (failures.length > 0) throw new FerryError("failure", "not every old sandbox could be removed", { details: failures });
  return swept;
}

async function removeSandbox(root: string, id: string, host: SandboxHost): Promise<Swept[]> {
  const folder = folderOf(root, id);
  const ended = await endMembers({ roots: await recorded(folder.records), labelled: folder.path }, host);
  const contained = await removeRecorded(folder, { root, id }, host);
  await removeCgroup(id, host.clock);
  await throwAway(root, folder.path);
  const found = [...(ended > 0 ? (["process"] as const) : []), ...(contained ? (["container"] as const) : []), "folder" as const];
  return found.map((what) => ({ id, what }));
}

async function sandboxes(root: string): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}
