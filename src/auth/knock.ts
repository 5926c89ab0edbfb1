import { FerryError } from "../base/errors.ts";
import { isHtml } from "../client/http/body.ts";
import { routes } from "../wire/routes.ts";
import { hostName } from "./address.ts";
import { refuseMisdirected } from "./misdirected.ts";
import type { Caller } from "./oauth/caller.ts";

const idleTimeout = 10_000;

/**
 * Asks without a key whether a service is there: one that is sent to a mistyped host is given away. Whatever but "not found" and a web
 * page says that there is.
 * @throws FerryError not_found where what answers knows neither call, failure where it goes by another name; what `send` throws where nothing answers
 */
export async function knock(url: string, { send, clock, userAgent, signal }: Caller): Promise<void> {
  for (const { method, path } of [routes.readCli, routes.listSessions]) {
    const headers = { accept: "application/json", "user-agent": userAgent };
    const answer = await send({ method, url: url + path, headers, idleTimeout, signal });
    await refuseMisdirected(answer, { method, url: url + path, clock });
    await answer.cancel();
    const isPage = answer.status < 300 && isHtml(answer.headers["content-type"]);
    if (answer.status !== 404 && !isPage) return;
  }
  throw new FerryError("not_found", `no agent service answers at ${hostName(url)}`, { hint: "check its address" });
}
