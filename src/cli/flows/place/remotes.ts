import { textOf } from "../../../base/text.ts";
import { fileURLToPath } from "node:url";
import { resolve } from "node:path";
import { parseRemote, type RemoteAddress } from "../../../git/address.ts";
import { configuredUrls, listRemotes, type Remote } from "../../../git/remotes.ts";
import type { Context } from "../../context.ts";
import type { Place } from "./place.ts";
import { behindAlias } from "./ssh.ts";

/** What of a repository tells where it lies. */
interface Lying {
  readonly clone_url?: unknown;
  readonly full_name?: unknown;
}

/** A remote of the working copy and a repository of the service that it is of. */
interface Match<R> {
  readonly remote: string;
  readonly repository: R;
}

/**
 * Which remotes are of which repositories: by the address, else by what the address is without the user's own `insteadOf` and
 * ssh aliases, else by the path alone, as that is the platform's. Only the surest of these that gives any counts.
 */
export async function matchesOf<R extends Lying>(context: Context, place: Place, all: readonly R[]): Promise<Match<R>[]> {
  const remotes = await listRemotes(context.git, place.folder);
  const direct = pairs(remotes, all, ({ url, pushUrl }, known) => [url, pushUrl].some((each) => liesAt(each, known, place)));
  if (direct.length > 0) return direct;
  const configured = await configuredUrls(context.git, place.folder);
  const addresses = new Map(remotes.map((remote): [Remote, RemoteAddress[]] => [remote, addressesOf(remote, configured)]));
  const behind = new Map<Remote, RemoteAddress[]>();
  for (const [remote, own] of addresses)
    behind.set(remote, await Promise.all(own.map((address) => behindAlias(context.host, address))));
  const aliased = pairs(remotes, all, (remote, { clone_url }) => {
    const address = parseRemote(textOf(clone_url));
    return address !== undefined && (behind.get(remote) ?? []).some((each) => same(each, address));
  });
  if (aliased.length > 0) return aliased;
  return pairs(remotes, all, (remote, { full_name }) =>
    (addresses.get(remote) ?? []).some(({ path }) => path !== "" && equal(path, textOf(full_name))),
  );
}

function pairs<R extends Lying>(
  remotes: readonly Remote[],
  all: readonly R[],
  fits: (remote: Remote, repository: R) => boolean,
): Match<R>[] {
  return remotes.flatMap((remote) =>
    all.filter((repository) => fits(remote, repository)).map((repository) => ({ remote: remote.name, repository })),
  );
}

function addressesOf({ name, url, pushUrl }: Remote, configured: ReadonlyMap<string, string>): RemoteAddress[] {
  return [...new Set([url, pushUrl, configured.get(name) ?? ""])].flatMap((each) => parseRemote(each) ?? []);
}

function liesAt(url: string, { clone_url }: Lying, place: Place): boolean {
  const [remote, address] = [parseRemote(url), parseRemote(textOf(clone_url))];
  if (remote !== undefined && address !== undefined) return same(remote, address);
  const path = pathOf(textOf(clone_url), place);
  return remote === undefined && address === undefined && path !== undefined && pathOf(url, place) === path;
}

/** A place on this machine, as git-clone(1) takes it; undefined for what is none. */
function pathOf(url: string, { folder }: Place): string | undefined {
  if (/^file:\/\//iu.test(url)) return URL.canParse(url) && new URL(url).host === "" ? bare(fileURLToPath(url)) : undefined;
  return url === "" || url.includes("::") || url.includes("://") ? undefined : bare(resolve(folder, url));
}

function bare(path: string): string {
  return path.replace(/\/+$/u, "").replace(/(\/\.git|\.git)$/u, "");
}

/** ssh and https of one place are equal. */
function same(one: RemoteAddress, other: RemoteAddress): boolean {
  return one.host === other.host && one.path !== "" && equal(one.path, other.path);
}

/** Whether two addresses to clone from are of one repository, by whatever transport; two ports of the same are two servers. */
export function isSameAddress(one: string, other: string): boolean {
  const [left, right] = [parseRemote(one), parseRemote(other)];
  if (left === undefined || right === undefined) return bare(one) === bare(other);
  return same(left, right) && (left.transport !== right.transport || left.port === right.port);
}

function equal(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
