import { realpath } from "node:fs/promises";
import type { Mount } from "./driver.ts";

/** A Node that runs inside. */
export interface InsideNode {
  readonly mounts: readonly Mount[];
  /** Its path inside. */
  readonly path: string;
}

/**
 * Makes the Node at `execPath` (this very process's, say) one that runs inside: under /usr it is seen already; from anywhere else, a
 * version manager's folder in a home for one, the single file is bound, since it needs nothing beside it but libraries of /usr.
 */
export async function nodeMount(execPath: string, target = "/opt/ferry/node"): Promise<InsideNode> {
  const source = await realpath(execPath);
  if (source.startsWith("/usr/")) return { mounts: [], path: source };
  return { mounts: [{ source, target }], path: target };
}
