import { cut } from "../../base/text.ts";
import type { Clock } from "../../host/host.ts";
import type { App } from "../app.ts";
import type { Log } from "../log.ts";

/** The app, with a line in the log for each request that changed something or was refused. Reads that went well would fill the disk. */
export function withRequestLog(app: App, log: Log, clock: Clock): App {
  return async (request) => {
    const began = clock.elapsed();
    const response = await app(request);
    const { method, url } = request;
    // Without the query, which may hold what the user looks for, and without what a browser's sign-in is known by.
    if (response.status >= 400 || !["GET", "HEAD"].includes(method))
      log.info("request", {
        method,
        path: cut(new URL(url).pathname.replace(/^\/s\/[^/]+/u, "/s/…"), 200),
        status: response.status,
        ms: Math.round(clock.elapsed() - began),
      });
    return response;
  };
}
