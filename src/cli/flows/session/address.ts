import { local } from "../../../auth/address.ts";
import { isLoopback } from "../../../base/address.ts";
import { FerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import { readCliInfo } from "../../../client/capabilities.ts";
import { readConfig } from "../../config/config.ts";
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
 * The service that a page is of: the host that it lies on, if the user is logged in there, else the one that is chosen in any case, where
 * the page lies on it or in the portal that it names. Ids of one service may be those of other sessions in another.
 * @throws FerryError usage where the user names another host, auth where nobody names the page's
 */
export async function connectFor(context: Context, { url }: Page): Promise<Connection> {
  const { hosts } = await readConfig(context.host);
  const there = hosts.filter((host) => isOneSite(url, host.url));
  // Of several at one site it is of the one that it lies below; a portal may be at another path than what is called, too.
  const [nearest] = there
    .filter((host) => `${url.origin}${url.pathname}`.startsWith(`${host.url}/`))
    .toSorted((one, other) => other.url.length - one.url.length);
  const known = nearest ?? there[0];
  const connection = await connect(context, known?.url);
  if (connection.host !== local && isOneSite(url, connection.host)) return connection;
  const portal = (await readCliInfo(connection.client.readCli))?.portal_url;
  if (typeof portal === "string" && isOneSite(url, portal)) return connection;
  if (namedHost(context) !== undefined)
    throw new FerryError("usage", `this address is of ${url.host}, and the host is ${connection.name}`, {
      hint: "name the session by its id, or the host that it is of: --host",
    });
  throw new FerryError("auth", `this address is of ${url.host}, and you are logged in to ${connection.name}`, {
    hint: `log in there if you trust it: ferry login --host ${url.origin}`,
  });
}

/** One machine and port, by whatever name this machine itself has. */
function isOneSite(page: URL, address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { host, hostname, port } = new URL(address);
  return page.host === host || (page.port === port && isLoopback(page.hostname) && isLoopback(hostname));
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
