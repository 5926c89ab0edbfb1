import { join } from "node:path";
import { withLock } from "../../../auth/lock.ts";
import { findFolders } from "../../../base/folders.ts";
import type { Host } from "../../../host/host.ts";
import { removeAgentsFiles } from "../../flows/local/agents-files.ts";
import { findLocal } from "../../flows/local/find.ts";
import { startLock, startPatience, stopLocal } from "../../flows/local/start.ts";
import { confirm } from "../../flows/text.ts";
import type { Verb } from "../../verb.ts";
import { refuseInTurn } from "./stop.ts";

/**
 * What the service keeps, by name, the database first: without that the rest is nothing, and a reset that was cut off is only done
 * again. Whatever else lies in the folder isn't ours to delete.
 */
const kept = {
  files: [
    ...["ferry.db", "ferry.db-wal", "ferry.db-shm", "key", "origin", "seal", "sign-in"],
    ...["last-turns.json", "service.log", "service.log.1", "service.json"],
  ],
  folders: ["mirrors", "gateways", "trash"],
};

/** In the words of the question. */
const all =
  "sessions, what nobody has pulled of them, registrations of repositories, providers with their tokens, users and API keys";

export const reset: Verb = {
  name: "reset",
  summary: "Delete all that the embedded service keeps, and begin anew",
  answer: ["running", "data"],
  description:
    "Delete all that the embedded service keeps: its sessions, with the commits that nobody has pulled, its repositories' registrations, providers, users and API keys. Your repositories and the keys for agents' models (ferry service agents) stay. A turn at work would be lost: then this is refused without --yes.",
  examples: ["ferry service reset", "ferry service reset --yes"],
  async run(context) {
    const { host, print, global } = context;
    const { data } = findFolders(host);
    if ((await host.files.status(data)) !== undefined) {
      const running = await findLocal(host);
      if (running !== undefined && !global.yes) await refuseInTurn(host, running);
      await confirm(context, `Delete all that the embedded service keeps (${data}): ${all}?`);
      // So that no first use starts it in between.
      await withLock(host, join(data, startLock), startPatience, () => empty(host, data));
    }
    if (global.json) await print.json({ running: false, data });
    await print.note(`the embedded service has nothing any more (its data: ${data})`);
  },
};

async function empty(host: Host, data: string): Promise<void> {
  const running = await findLocal(host);
  if (running !== undefined) await stopLocal(host, running);
  for (const name of kept.files) await host.files.remove(join(data, name));
  await removeAgentsFiles(host, data);
  for (const name of kept.folders) await host.files.remove(join(data, name));
}
