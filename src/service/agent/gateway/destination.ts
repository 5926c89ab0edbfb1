import { BlockList, isIPv6 } from "node:net";

/** A host that a sandbox may reach, by its name. */
export interface Destination {
  readonly host: string;
  readonly port: number;
}

const form = /^([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::(\d{1,5}))?$/iu;

/** `HOST` (its port for https then) or `HOST:PORT`; undefined for what is none. */
export function destinationOf(text: string): Destination | undefined {
  const [, host, digits = "443"] = form.exec(text) ?? [];
  const port = Number(digits);
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host: host.toLowerCase(), port };
}

export function isListed(list: readonly Destination[], { host, port }: Destination): boolean {
  return list.some((listed) => listed.host === host && listed.port === port);
}

const forbidden = new BlockList();
// IANA's registries of special addresses: this host, loopback, link-local (and the clouds' metadata there), multicast, reserved.
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["224.0.0.0", 3],
] as const)
  forbidden.addSubnet(network, prefix, "ipv4");
// Metadata of clouds that have it elsewhere.
for (const address of ["100.100.100.200", "168.63.129.16", "192.0.0.192"]) forbidden.addAddress(address, "ipv4");
// The same, what only translates to version 4 (RFC 6052, 6to4), and AWS's metadata.
for (const [network, prefix] of [
  ["::", 96],
  ["fe80::", 10],
  ["ff00::", 8],
  ["64:ff9b::", 96],
  ["2002::", 16],
] as const)
  forbidden.addSubnet(network, prefix, "ipv6");
forbidden.addAddress("fd00:ec2::254", "ipv6");

/** Whether a name that leads to this address may be followed: not to this machine, nor to where only its own programs should be. */
export function isOutside(address: string): boolean {
  return !forbidden.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}
