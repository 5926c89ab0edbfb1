import { join } from "node:path";
import type { Host } from "../../../host/host.ts";

/**
 * Removes what agents made below a service's data folder, which may be deeper than any path; no service may run there.
 * @throws FerryError failure with what couldn't be removed; the interrupt's reason
 */
export async function removeAgentsFiles(host: Pick<Host, "interrupt">, data: string): Promise<void> {
  const { emptyTrash, throwAway, trashed } = await import("../../../service/sandbox/folder/trash.ts");
  const sandboxes = join(data, "sandboxes");
  for (const path of [sandboxes, join(data, "sessions")]) await throwAway(sandboxes, path);
  await emptyTrash(await trashed(sandboxes), host.interrupt);
  host.interrupt.throwIfAborted();
}
