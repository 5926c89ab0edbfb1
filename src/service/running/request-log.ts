import { cut } from "../../base/text.ts";
import type { Clock } from "../../host/host.ts";
import type { App } from "../app.ts";
import type { Log } from "../log.ts";

/** How many requests have a line of their own within so many ms: who merely reaches a port, without any key, can ask for more. */
const mostLines = 120;
const span = 60_000;

/**
 * The app, with a line in the log for each request that changed something or was refused. Reads that went well would fill the disk, and
 * so would refusals without end: beyond some a minute they are only counted, and the count told with the next line.
 */
export function withRequestLog(app: App, log: Log, clock: Clock): App {
  let since = clock.elapsed();
  let count = 0;
  const hasRoom = (): boolean => {
    if (clock.elapsed() - since >= span) {
      if (count > mostLines) log.info("requests without a line of their own", { count: count - mostLines });
      since = clock.elapsed();
      count = 0;
    }
    count += 1;
    return count <= mostLines;
  };
  return async (request, peer) => {
    const began = clock.elapsed();
    const response = await app(request, peer);
    const { method, url } = request;
    // Without the query, which may hold what the user looks for, and without what a browser's sign-in is known by.
    if ((response.status >= 400 || !["GET", "HEAD"].includes(method)) && hasRoom())
      log.info("request", {
        method,
        path: cut(new URL(url).pathname.replace(/^\/s\/[^/]+/u, "/s/…"), 200),
        status: response.status,
        ms: Math.round(clock.elapsed() - began),
        ...(peer !== undefined && { peer }),
      });
    return response;
  };
}
