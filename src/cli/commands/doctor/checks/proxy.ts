import type { Environment } from "../../../../host/host.ts";
import type { Check } from "../check.ts";

/** How long the proxy may take to be reached, in ms. */
const timeout = 5000;

export const proxy: Check = {
  name: "proxy",
  async run({ host: { env, network, interrupt } }) {
    // The lower case wins, also where it is set to nothing.
    const variable = env["https_proxy"] === undefined ? "HTTPS_PROXY" : "https_proxy";
    const address = env[variable] ?? "";
    if (address === "") return { verdict: "ok", says: `none is set${unused(env)}` };
    await network.reachProxy({ variable, address, timeout, signal: interrupt });
    return { verdict: "ok", says: `${variable} ${new URL(address).host} can be reached${exceptions(env)}` };
  },
};

/** Plain http is for this machine alone, where no proxy is of use. */
function unused(env: Environment): string {
  const name = ["http_proxy", "HTTP_PROXY"].find((each) => (env[each] ?? "") !== "");
  return name === undefined ? "" : ` (${name} isn't used: services are called by https)`;
}

function exceptions(env: Environment): string {
  const without = env["no_proxy"] ?? env["NO_PROXY"] ?? "";
  return without === "" ? "" : `; not for ${without}`;
}
