import { hostName, isLocal, isNameOf, local, parseAddress, shown } from "../../../auth/address.ts";
import { FerryError } from "../../../base/errors.ts";
import { exactWord } from "../../../base/words.ts";
import { getConfig } from "../../../git/config.ts";
import { readConfig, type Config, type HostEntry } from "../../config/config.ts";
import type { Context } from "../../context.ts";
import { localWasUsed } from "../local/find.ts";
import { findLinkedIfAny } from "../place/link.ts";

/** The service that a command talks to. */
export type ChosenHost = (
  { readonly kind: "local" } | { readonly kind: "remote"; readonly url: string; readonly entry: HostEntry | undefined }
) & {
  /** By --host or FERRY_HOST. */
  readonly named: boolean;
  /** By --host, where FERRY_HOST names another: FERRY_API_KEY is that one's. */
  readonly beside?: boolean;
  /** What chose it, where that is neither the user nor the last login: a user may not think of it. */
  readonly why?: string;
  /** The last login, in words, where a branch's link goes before it. */
  readonly insteadOf?: string;
};

/**
 * --host, FERRY_HOST, the link's host, git config ferry.host, the last one logged in to, local: the first that says something.
 * `linked` is the host of the link that counts, null where none does; left out, it is that of the current branch.
 * `withLogin`: only a host that has one will do, which the embedded service isn't.
 * What a repository's configuration names can only select a host that the user logged in to.
 * @throws FerryError auth where none can be chosen, or a repository names one that the user isn't logged in to
 */
export async function chooseHost(
  context: Context,
  linked?: string | null,
  { withLogin = false }: { readonly withLogin?: boolean } = {},
): Promise<ChosenHost> {
  const { host } = context;
  const config = await readConfig(host);
  const given = namedHost(context);
  if (given !== undefined) {
    const chosen = named(given, config);
    return mayTakeKey(context, addressIn(chosen), config) ? chosen : { ...chosen, beside: true };
  }
  const link = linked === undefined ? await linkedHost(context) : (linked ?? undefined);
  if (link !== undefined) return beforeLogin(selected(link, config, "this branch is linked to a session on"), config);
  const configured = await getConfig(context.git, context.folder, "ferry.host");
  if (configured !== undefined) return selected(configured, config, "ferry.host in the git configuration is");
  const [last] = config.hosts;
  if (last !== undefined) return { kind: "remote", url: last.url, entry: last, named: false };
  if (!withLogin && (context.interactive || (await localWasUsed(host))))
    return { kind: "local", named: false, why: "you are logged in to no other" };
  throw new FerryError("auth", "not logged in, and no host is named", {
    hint: context.interactive
      ? "log in: ferry login --host URL"
      : withLogin
        ? ways.join(", or ")
        : `${ways.join(", ")}, or name the embedded service: --host local`,
  });
}

const ways = ["set FERRY_HOST and FERRY_API_KEY", 'pipe a key to "ferry login --host URL --with-token"'];

/** What the user names outright, for this command or in the environment. */
export function namedHost({ global, host }: Context): string | undefined {
  return global.host ?? nonEmpty(host.env["FERRY_HOST"]);
}

/**
 * Whether the host of a branch's link is another one than what the user names for this command, and so not the one that is asked.
 * `by` is what names that one; `known` is how the user names the link's, where it is local or they are logged in there: what a
 * repository's configuration says is nothing to send somebody, and a key of the environment, to.
 */
export async function passedOver(
  context: Context,
  linked: string | undefined,
): Promise<{ by: "--host" | "FERRY_HOST"; asked: string; there: string; known: string | undefined } | undefined> {
  const given = namedHost(context);
  if (given === undefined || linked === undefined) return undefined;
  const config = await readConfig(context.host);
  const asked = named(given, config);
  const there = isLocal(linked) ? local : addressOf(linked, config);
  if (there === addressIn(asked)) return undefined;
  const isKnown = there === local || loggedIn(linked, config) !== undefined;
  return {
    by: context.global.host === undefined ? "FERRY_HOST" : "--host",
    asked: chosenName(asked),
    there: there === undefined ? shown(linked) : hostName(there),
    known: isKnown ? exactWord(hostName(there ?? linked)) : undefined,
  };
}

/** Whether FERRY_API_KEY is for that host, where it is named: beside FERRY_HOST it is for that one alone. */
function mayTakeKey({ host }: Pick<Context, "host">, address: string, config: Config): boolean {
  const other = nonEmpty(host.env["FERRY_HOST"]);
  return other === undefined || (isLocal(other) ? local : addressOf(other, config)) === address;
}

/** Whether there is a FERRY_API_KEY that is for that host. */
export async function hasKeySet({ host }: Pick<Context, "host">, address: string): Promise<boolean> {
  return nonEmpty(host.env["FERRY_API_KEY"]) !== undefined && mayTakeKey({ host }, address, await readConfig(host));
}

/**
 * FERRY_API_KEY where it is that host's key; else undefined. It goes where the user said outright, never to a host that a repository
 * names, and beside FERRY_HOST to that one alone.
 */
export function keyOfEnvironment({ host }: Pick<Context, "host">, { named, beside = false }: ChosenHost): string | undefined {
  return named && !beside ? nonEmpty(host.env["FERRY_API_KEY"]) : undefined;
}

/** How a host is called in lines for people. */
export function chosenName(chosen: ChosenHost): string {
  return chosen.kind === "local" ? local : hostName(chosen.url);
}

/** Where it is, and why there where that is no login of the user's, as a line for people. */
export function hostLine(chosen: ChosenHost): string {
  const line = `host: ${chosenName(chosen)}`;
  return chosen.insteadOf === undefined ? line : `${line}, since ${chosen.why ?? ""}; the last login is ${chosen.insteadOf}`;
}

/** A repository that git doesn't open (safe.directory, a broken HEAD) links to nothing: the commands that need it say why. */
async function linkedHost(context: Context): Promise<string | undefined> {
  try {
    return (await findLinkedIfAny(context))?.link?.host;
  } catch (error) {
    if (error instanceof FerryError && error.kind === "failure") return undefined;
    throw error;
  }
}

function named(text: string, config: Config): ChosenHost {
  if (isLocal(text)) return { kind: "local", named: true };
  const entry = loggedIn(text, config);
  return { kind: "remote", url: entry?.url ?? parseAddress(text), entry, named: true };
}

function addressIn(chosen: ChosenHost): string {
  return chosen.kind === "local" ? local : chosen.url;
}

function selected(text: string, config: Config, who: string): ChosenHost {
  const why = `${who} it`;
  if (isLocal(text)) return { kind: "local", named: false, why };
  const entry = loggedIn(text, config);
  if (entry !== undefined) return { kind: "remote", url: entry.url, entry, named: false, why };
  const [last] = config.hosts;
  const known = last === undefined ? local : exactWord(hostName(last.url));
  throw new FerryError("auth", `${who} ${shown(text)}, which you aren't logged in to`, {
    hint: `log in there if you trust it, or name one that you know: --host ${known ?? "HOST"}`,
  });
}

function beforeLogin(chosen: ChosenHost, { hosts: [last] }: Config): ChosenHost {
  const isLast = last === undefined || (chosen.kind === "remote" && chosen.url === last.url);
  return isLast ? chosen : { ...chosen, insteadOf: hostName(last.url) };
}

/** The logins at the host that somebody names in that way, by its name or its address. */
export function loginsAt(text: string, { hosts }: Pick<Config, "hosts">): readonly HostEntry[] {
  const byName = hosts.filter(({ url }) => isNameOf(text, url));
  if (byName.length > 0) return byName;
  const address = parsed(text);
  return hosts.filter(({ url }) => url === address);
}

function loggedIn(text: string, config: Config): HostEntry | undefined {
  return loginsAt(text, config)[0];
}

/** By the name of a login, or as it is; undefined of something that is neither. */
function addressOf(text: string, config: Config): string | undefined {
  return loggedIn(text, config)?.url ?? parsed(text);
}

function parsed(text: string): string | undefined {
  try {
    return parseAddress(text);
  } catch (error) {
    if (error instanceof FerryError) return undefined;
    throw error;
  }
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === undefined || value === "" ? undefined : value;
}
