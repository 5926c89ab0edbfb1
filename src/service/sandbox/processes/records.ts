import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readEntry, type ProcessId } from "./table.ts";

/** Notes a process in the sandbox's folder, so that a later service can end it; undefined where it is gone already. */
export async function record(folder: string, pid: number): Promise<ProcessId | undefined> {
  const entry = readEntry(pid);
  if (entry === undefined) return undefined;
  await writeFile(join(folder, String(pid)), entry.started, { mode: 0o600 });
  return { pid, started: entry.started };
}

/** Takes the note back; nothing there is fine. */
export async function forget(folder: string, pid: number): Promise<void> {
  await rm(join(folder, String(pid)), { force: true });
}

/** The processes noted in a folder; none where there is no folder. */
export async function recorded(folder: string): Promise<ProcessId[]> {
  const names = await readdir(folder).catch(() => []);
  return Promise.all(names.map(async (name) => ({ pid: Number(name), started: await readFile(join(folder, name), "utf8") })));
}
