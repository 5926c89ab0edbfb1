import { asFerryError } from "../../../../base/errors.ts";
import type { Environment } from "../../../../host/host.ts";
import type { Context } from "../../../context.ts";
import { chosenName } from "../../../flows/host/choose.ts";
import type { Check } from "../check.ts";
import { chosenHost } from "../chosen.ts";

/** How long the proxy may take to be reached, in ms. */
const timeout = 5000;

export const proxy: Check = {
  name: "proxy",
  async run(context) {
    const { env, network, interrupt } = context.host;
    // The lower case wins, also where it is set to nothing.
    const variable = env["https_proxy"] === undefined ? "HTTPS_PROXY" : "https_proxy";
    const address = env[variable] ?? "";
    if (address === "") return { verdict: "ok", says: `none is set${unused(env)}` };
    try {
      await network.reachProxy({ variable, address, timeout, signal: interrupt });
    } catch (error) {
      const direct = await calledWithout(context).catch(() => undefined);
      if (direct === undefined) throw error;
      const { message, hint } = asFerryError(error);
      return { verdict: "warning", says: `${message}; ${direct} is called without it`, hint };
    }
    return { verdict: "ok", says: `${variable} ${new URL(address).host} can be reached${exceptions(env)}` };
  },
};

/** The service that commands call, where none of them needs the proxy for it: it is on this machine, or NO_PROXY names it. */
async function calledWithout(context: Context): Promise<string | undefined> {
  const chosen = await chosenHost(context);
  if (chosen === undefined) return undefined;
  const isDirect = chosen.kind === "local" || (await context.host.network.tunnel(new URL(chosen.url).host)) === undefined;
  return isDirect ? chosenName(chosen) : undefined;
}

/** Plain http is for this machine alone, where no proxy is of use. */
function unused(env: Environment): string {
  const name = ["http_proxy", "HTTP_PROXY"].find((each) => (env[each] ?? "") !== "");
  return name === undefined ? "" : ` (${name} isn't used: services are called by https)`;
}

function exceptions(env: Environment): string {
  const without = env["no_proxy"] ?? env["NO_PROXY"] ?? "";
  return without === "" ? "" : `; not for ${without}`;
}
