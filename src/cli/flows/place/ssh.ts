import type { RemoteAddress } from "../../../git/address.ts";
import type { Host } from "../../../host/host.ts";

/** Reading a configuration takes no longer, unless a `Match exec` in it hangs; in ms. */
const patience = 5000;

/**
 * The address behind an alias of ssh's configuration (ssh_config(5), Host and HostName), as `ssh -G` tells it. What is no alias,
 * isn't reached by ssh, or can't be found out, stays as it is.
 */
export async function behindAlias({ processes, interrupt }: Host, address: RemoteAddress): Promise<RemoteAddress> {
  // A host with a dash in front would be an option of ssh's.
  if (address.transport !== "ssh" || address.host.startsWith("-")) return address;
  if ((await processes.find("ssh")) === undefined) return address;
  const { code, stdout } = await processes.run(["ssh", "-G", "--", address.host], { timeout: patience, signal: interrupt });
  if (code !== 0) return address;
  const told = new Map(
    Buffer.from(stdout)
      .toString("utf8")
      .split("\n")
      .map((line): [string, string] => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)]),
  );
  const host = told.get("hostname")?.toLowerCase() ?? address.host;
  if (host === address.host) return address;
  const port = address.port ?? told.get("port");
  return { ...address, host, user: address.user ?? told.get("user"), port: port === "22" ? undefined : port };
}
