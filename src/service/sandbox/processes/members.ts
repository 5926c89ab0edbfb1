import { processTable, readEnvironment, type ProcessEntry, type ProcessId } from "./table.ts";

/**
 * The variable that marks a sandbox's outermost processes on the host. Its value is a path: the sandbox's folder and the number of the
 * process in it, so that one process's, one sandbox's and all sandboxes' are found by a folder above.
 */
export const label = "FERRY_SANDBOX";

/** What to look for: processes and all that came from them, and those that carry a label. */
export interface Search {
  readonly roots: readonly ProcessId[];
  /** The path that their label begins with; without one the descendants are all there can be. */
  readonly labelled?: string;
}

/** The processes that belong to a search now. A number that was given to another process meanwhile doesn't count. */
export function findMembers(search: Search): ProcessEntry[] {
  const table = processTable();
  const found = new Map<number, ProcessEntry>();
  for (const entry of table.values()) if (isRoot(entry, search)) found.set(entry.pid, entry);
  const children = byParent(table.values());
  // A Map that grows while it is walked is walked to its new end.
  for (const pid of found.keys()) for (const child of children.get(pid) ?? []) found.set(child.pid, child);
  return [...found.values()];
}

function isRoot(entry: ProcessEntry, search: Search): boolean {
  if (search.roots.some((root) => root.pid === entry.pid && root.started === entry.started)) return true;
  const start = `${label}=${search.labelled ?? ""}/`;
  return search.labelled !== undefined && readEnvironment(entry.pid).some((variable) => `${variable}/`.startsWith(start));
}

function byParent(entries: Iterable<ProcessEntry>): Map<number, ProcessEntry[]> {
  const groups = new Map<number, ProcessEntry[]>();
  for (const entry of entries) groups.set(entry.parent, [...(groups.get(entry.parent) ?? []), entry]);
  return groups;
}
