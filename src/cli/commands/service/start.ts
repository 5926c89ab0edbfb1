import { shellWord } from "../../../base/words.ts";
import { findLocal } from "../../flows/local/find.ts";
import { ensureLocal } from "../../flows/local/start.ts";
import { unlockedLine } from "../../flows/local/unlocked.ts";
import type { Verb } from "../../verb.ts";
import { addServiceOptions, serviceArguments, withData, type ServiceOptions } from "./options.ts";

export const start: Verb = {
  name: "start",
  summary: "Start the embedded service in the background",
  answer: ["running", "pid", "version", "socket"],
  examples: ["ferry service start", "ferry service start --sandbox bwrap"],
  define: addServiceOptions,
  async run(given, options: ServiceOptions) {
    const context = withData(given, options.data);
    const running = await findLocal(context.host);
    const wanted = serviceArguments(options);
    const service = await ensureLocal(context, wanted);
    const ranBefore = running?.pid === service.pid;
    if (context.global.json)
      await context.print.json({ running: true, pid: service.pid, version: service.version, socket: service.socket });
    await context.print.note(
      `the embedded service ${ranBefore ? "runs already" : "runs"} (process ${service.pid}, ${service.socket})`,
    );
    const open = unlockedLine(service);
    if (open !== undefined) await context.print.note(open);
    if (!ranBefore || wanted.length === 0) return;
    const stop = options.data === undefined ? "ferry service stop" : `ferry service stop --data ${shellWord(options.data)}`;
    await context.print.warn(`it runs as it was started, whatever ${wanted.join(" ")} says now: ${stop}, then this once more`);
  },
};
