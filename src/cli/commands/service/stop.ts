import { findLocal } from "../../flows/local/find.ts";
import { stopLocal } from "../../flows/local/start.ts";
import type { Verb } from "../../verb.ts";

export const stop: Verb = {
  name: "stop",
  summary: "Stop the embedded service; its sessions go on when it starts again",
  examples: ["ferry service stop"],
  async run({ host, print, global }) {
    const service = await findLocal(host);
    if (service !== undefined) await stopLocal(host, service);
    if (global.json) await print.json({ running: false, stopped: service?.pid ?? null });
    await print.note(
      service === undefined ? "the embedded service doesn't run" : `the embedded service (process ${service.pid}) has stopped`,
    );
  },
};
