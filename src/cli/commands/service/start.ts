import { findLocal } from "../../flows/local/find.ts";
import { ensureLocal } from "../../flows/local/start.ts";
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
    const service = await ensureLocal(context, serviceArguments(options));
    const line = running?.pid === service.pid ? "runs already" : "runs";
    if (context.global.json)
      await context.print.json({ running: true, pid: service.pid, version: service.version, socket: service.socket });
    await context.print.note(`the embedded service ${line} (process ${service.pid}, ${service.socket})`);
  },
};
