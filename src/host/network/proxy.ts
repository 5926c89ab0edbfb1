import { BlockList, isIP } from "node:net";
import { isLoopback } from "../../base/address.ts";
import { FerryError } from "../../base/errors.ts";
import type { Environment } from "../host.ts";

/** A proxy, and the variable that names it. */
export interface Proxy {
  readonly url: URL;
  readonly variable: string;
}

/**
 * The proxy that an address goes through by HTTPS_PROXY and NO_PROXY; of each the lower case wins, as curl has it. Never one for plain
 * http: that is for loopback alone, and a proxy's own loopback is another machine, where the key would go in the clear.
 * @throws FerryError usage where the variable holds no address of a proxy that can be used
 */
export function proxyFor(address: string, env: Environment): Proxy | undefined {
  const url = new URL(address);
  if (url.protocol !== "https:" || isLoopback(url.hostname)) return undefined;
  const variable = env["https_proxy"] === undefined ? "HTTPS_PROXY" : "https_proxy";
  const value = env[variable] ?? "";
  if (value === "" || isExcepted(url, env["no_proxy"] ?? env["NO_PROXY"] ?? "")) return undefined;
  return parseProxy(value, variable);
}

/**
 * What a variable says of a proxy. No error holds the value: there may be a password in it.
 * @throws FerryError usage
 */
export function parseProxy(value: string, variable: string): Proxy {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol.startsWith("socks") === true)
    throw new FerryError("usage", `${variable} names a SOCKS proxy, which ferry doesn't speak to`, {
      hint: "name an http proxy, or in NO_PROXY the hosts that need none",
    });
  if (url === undefined || !/^https?:$/u.test(url.protocol) || url.hostname === "")
    throw new FerryError("usage", `${variable} is no address of a proxy`, { hint: "write it as http://proxy.example.com:3128" });
  return { url, variable };
}

/** A name stands for itself and all below it, `*` for everything, and addresses may be a range (10.0.0.0/8): curl(1), NO_PROXY. */
function isExcepted({ hostname, port }: URL, exceptions: string): boolean {
  const host = bare(hostname);
  return exceptions
    .toLowerCase()
    .split(/[\s,]+/u)
    .filter((entry) => entry !== "")
    .some((entry) => {
      const [, name = entry, only] = /^(\[.*\]|[^:]+):(\d+)$/u.exec(entry) ?? [];
      if (only !== undefined && only !== (port || "443")) return false;
      const meant = bare(name.replace(/^\*?\./u, ""));
      return meant === "*" || host === meant || (isIP(host) === 0 ? host.endsWith(`.${meant}`) : isInRange(host, meant));
    });
}

function isInRange(address: string, range: string): boolean {
  const [net = "", bits] = range.split("/");
  const [family, version] = [isIP(net), isIP(address)];
  if (bits === undefined || !/^\d+$/u.test(bits) || family === 0 || family !== version) return false;
  if (Number(bits) > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  const type = family === 4 ? "ipv4" : "ipv6";
  list.addSubnet(net, Number(bits), type);
  return list.check(address, type);
}

/** A host as sockets take it. */
export function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/gu, "");
}
