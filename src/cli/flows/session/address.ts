import { hostName, local, loginAt } from "../../../auth/address.ts";
import { isLoopback } from "../../../base/address.ts";
import { asFerryError, FerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import { readCliInfo } from "../../../client/capabilities.ts";
import { type HostEntry, readConfig } from "../../config/config.ts";
import type { Context } from "../../context.ts";
import { namedHost } from "../host/choose.ts";
import { connect, type Connection } from "../host/connect.ts";

/** A session's page in a portal. */
interface Page {
  readonly id: string;
  readonly url: URL;
}

/** The page that an address leads to; undefined for what is no web address. @throws FerryError usage for one that names no session */
export function readPage(named: string): Page | undefined {
  if (!/^https?:\/\//iu.test(named) || !URL.canParse(named)) return undefined;
  const url = new URL(named);
  const id = unescaped(/\/sessions\/([^/]+)/u.exec(url.pathname)?.[1] ?? url.pathname.split("/").filter(Boolean).at(-1) ?? "");
  if (id !== undefined) return { id, url };
  // Without what may be a secret: a user name and password, a query.
  throw new FerryError("usage", `this address names no session: ${oneLine(url.origin + url.pathname)}`);
}

/**
 * The service that a page is of: the login whose address it lies below, else one at its site or the one that is chosen in any case, where
 * it lies below the portal that this one names. Ids of one service may be those of other sessions in another, also at the same site.
 * @throws FerryError usage where the user names another host, auth where nobody names the page's
 */
export async function connectFor(context: Context, { url }: Page): Promise<Connection> {
  const { hosts } = await readConfig(context.host);
  const nearest = nearestOf(url, hosts);
  const named = namedHost(context) !== undefined;
  const there = hosts.filter((host) => isOneSite(url, new URL(host.url))).map((host) => host.url);
  // Where the user names a host, that one is connected to in any case.
  const candidates = named ? [undefined] : nearest === undefined ? [...there, undefined] : [nearest.url];
  const names: string[] = [];
  let failure: FerryError | undefined;
  for (const candidate of candidates) {
    try {
      const connection = await connect(context, candidate);
      if (await isPageOf(connection, url, nearest)) return connection;
      names.push(connection.name);
    } catch (error) {
      context.host.interrupt.throwIfAborted();
      // It may be of another: a login there that no longer works says nothing of that.
      failure ??= asFerryError(error);
    }
  }
  if (failure !== undefined) throw failure;
  const place = nearest?.url ?? placeOf(url);
  if (named)
    throw new FerryError("usage", `this address is of ${hostName(place)}, and the host is ${names.at(-1) ?? ""}`, {
      hint: "name the session by its id, or the host that it is of: --host",
    });
  throw new FerryError("auth", `this address is of ${hostName(place)}, and you are logged in to ${names.at(-1) ?? ""}`, {
    hint: `log in there if you trust it: ${loginAt(place)}`,
  });
}

/** The login that the page lies below: of several the one with the longest path, then the one that is called as the page's address has it. */
function nearestOf(page: URL, hosts: readonly HostEntry[]): HostEntry | undefined {
  const rank = ({ url }: HostEntry): number => (depth(page, url) ?? 0) * 2 + Number(new URL(url).host === page.host);
  return hosts.filter(({ url }) => depth(page, url) !== undefined).toSorted((one, other) => rank(other) - rank(one))[0];
}

/** Whether it lies below that service's address or its portal's, and below no login that is nearer. */
async function isPageOf({ client, host }: Connection, page: URL, nearest: HostEntry | undefined): Promise<boolean> {
  const least = (nearest && depth(page, nearest.url)) ?? 0;
  if (host !== local && (depth(page, host) ?? -1) >= least) return true;
  const portal = (await readCliInfo(client.readCli))?.portal_url;
  return typeof portal === "string" && (depth(page, portal) ?? -1) >= least;
}

/** How long the path of an address is that the page lies below; undefined where it doesn't. */
function depth(page: URL, address: string): number | undefined {
  if (!URL.canParse(address)) return undefined;
  const base = new URL(address);
  const path = base.pathname.replace(/\/+$/u, "");
  return isOneSite(page, base) && page.pathname.startsWith(`${path}/`) ? path.length : undefined;
}

/** One machine and port, by whatever name this machine itself has. */
function isOneSite(page: URL, { host, hostname, port }: URL): boolean {
  return page.host === host || (page.port === port && isLoopback(page.hostname) && isLoopback(hostname));
}

/** The address of the service or portal that a page would be of. */
function placeOf({ origin, pathname }: URL): string {
  return oneLine(origin + pathname.replace(/\/sessions\/.*$|\/[^/]*\/*$/u, ""));
}

/** Undefined for nothing, and for escapes that stand for no text. */
function unescaped(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment) || undefined;
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
