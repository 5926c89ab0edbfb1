import { readFile, writeFile } from "node:fs/promises";
import { within } from "../../patience.ts";
import type { Folder } from "../folder/layout.ts";
import type { SandboxHost } from "../host.ts";
import { labels, removeLabelled } from "./containers.ts";
import { type Engine, environmentFor } from "./engine.ts";

/** How long an engine may take to remove what is left, in ms: one that hangs would keep the service from starting. */
export const patience = 20_000;

/** Notes in the sandbox's folder by what its containers are made, so that a later service ends them, whichever driver that has. */
export async function recordEngine(folder: Folder, { kind, words }: Engine): Promise<void> {
  await writeFile(folder.engine, JSON.stringify({ kind, words }), { mode: 0o600 });
}

/**
 * Removes the containers of a sandbox as it was noted; says whether there were any.
 * @throws FerryError failure where the engine can't do it now
 */
export async function removeRecorded(
  folder: Folder,
  { root, id }: { root: string; id: string },
  host: SandboxHost,
): Promise<boolean> {
  const text = await readFile(folder.engine, "utf8").catch(() => undefined);
  if (text === undefined) return false;
  // The service's own note, in a folder that nobody else writes.
  const { kind, words } = JSON.parse(text) as Pick<Engine, "kind" | "words">;
  const removal = removeLabelled({ kind, words, env: environmentFor(host) }, labels(root, id));
  return (await within(host.clock, patience, `${words[0] ?? ""} rm`, removal)).length > 0;
}
