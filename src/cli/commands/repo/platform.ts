import { textOf } from "../../../base/text.ts";
import { FerryError, NoAnswerError } from "../../../base/errors.ts";
import type { RemoteAddress } from "../../../git/address.ts";
import type { Host, SendResponse } from "../../../host/host.ts";
import type { Context } from "../../context.ts";
import { choose } from "../../flows/choice.ts";
import type { Connection } from "../../flows/host/connect.ts";
import { findProvider, visibleProviders } from "../../flows/provider.ts";

/** A code hosting platform that the service has a credential for, and that a remote lies on. */
export interface PlatformMatch {
  readonly providerId: string;
  /** Its address, without a slash at its end. */
  readonly url: string;
}

/**
 * The provider of the service whose platform the address lies on; chosen on a terminal where several are.
 * @throws FerryError usage where several are and nobody to choose
 */
export async function findPlatform(
  { interactive, host: own }: Context,
  connection: Connection,
  { host }: RemoteAddress,
): Promise<PlatformMatch | undefined> {
  const all = (await visibleProviders(connection)) ?? [];
  const matching = all.filter(({ base_url }) => hostOf(base_url) === host);
  const named = matching.map(({ id, name, base_url }) => ({
    name: `${id}  ${textOf(name)}`,
    value: { providerId: id, url: bare(base_url) },
  }));
  if (named.length <= 1) return named[0]?.value;
  if (interactive) return choose(own, "Which provider reaches it?", named);
  throw new FerryError("usage", `several providers are of ${host}`, {
    details: named.map(({ name }) => name),
    hint: "name one: --provider ID",
  });
}

/**
 * The provider that the user named. A key that mayn't see the providers takes its word for an id.
 * @throws FerryError not_found where there is none, usage where several match
 */
export async function platformNamed(connection: Connection, given: string): Promise<PlatformMatch> {
  if ((await visibleProviders(connection)) === undefined) return { providerId: given, url: "" };
  const { id, base_url } = await findProvider(connection, given);
  return { providerId: id, url: bare(base_url) };
}

/** Where it is cloned from with the provider's token, which goes over http; undefined where it isn't of that platform. */
export function overHttp({ url }: PlatformMatch, { host, path }: RemoteAddress): string | undefined {
  return hostOf(url) === host ? `${new URL(url).origin}/${path}.git` : undefined;
}

/** A GitLab project's id, where it tells everybody: "Get a single project" of its Projects API. No credential is sent. */
export async function publicProjectId(
  { network, interrupt }: Host,
  { url }: PlatformMatch,
  path: string,
): Promise<string | undefined> {
  try {
    const response = await network.send({
      method: "GET",
      url: `${url}/api/v4/projects/${encodeURIComponent(path)}`,
      headers: { accept: "application/json" },
      signal: interrupt,
      idleTimeout: 5000,
    });
    return idIn(await bodyOf(response));
  } catch (error) {
    if (error instanceof NoAnswerError) return undefined;
    throw error;
  }
}

function bare(url: unknown): string {
  return textOf(url).replace(/\/+$/u, "");
}

function hostOf(url: unknown): string | undefined {
  return typeof url === "string" && URL.canParse(url) ? new URL(url).hostname.toLowerCase() : undefined;
}

const longest = 1 << 20;

async function bodyOf(response: SendResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    if (response.status !== 200) return "";
    for await (const chunk of response.body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > longest) return "";
    }
  } finally {
    await response.cancel();
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** A proxy's page instead of JSON says nothing about the project. */
function idIn(text: string): string | undefined {
  try {
    const project = JSON.parse(text) as unknown;
    const id = typeof project === "object" && project !== null && "id" in project ? project.id : undefined;
    return typeof id === "number" ? String(id) : undefined;
  } catch {
    return undefined;
  }
}
