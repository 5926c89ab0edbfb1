import { FerryError, NoAnswerError } from "../../../base/errors.ts";
import { listAll } from "../../../client/pages.ts";
import type { RemoteAddress } from "../../../git/address.ts";
import type { Host, SendResponse } from "../../../host/host.ts";
import type { Context } from "../../context.ts";
import { choose } from "../../flows/choice.ts";
import type { Connection } from "../../flows/host/connect.ts";

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
  { client }: Connection,
  { host }: RemoteAddress,
): Promise<PlatformMatch | undefined> {
  const all = await listAll(client.listProviders).catch(unlessNotOurs);
  const matching = all.filter(({ base_url }) => hostOf(base_url) === host);
  const named = matching.map(({ id, name, base_url }) => ({
    name: `${id}  ${name ?? ""}`,
    value: { providerId: id, url: (base_url ?? "").replace(/\/+$/u, "") },
  }));
  if (named.length <= 1) return named[0]?.value;
  if (interactive) return choose(own, "Which provider reaches it?", named);
  throw new FerryError("usage", `several providers are of ${host}`, {
    details: named.map(({ name }) => name),
    hint: "name one: --provider ID",
  });
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
    return idIn(await textOf(response));
  } catch (error) {
    if (error instanceof NoAnswerError) return undefined;
    throw error;
  }
}

/** A key that may register repositories need not see the providers. */
function unlessNotOurs(error: unknown): [] {
  if (error instanceof FerryError && [401, 403, 404].includes(error.status ?? 0)) return [];
  throw error;
}

function hostOf(url: string | null | undefined): string | undefined {
  return url != null && URL.canParse(url) ? new URL(url).hostname.toLowerCase() : undefined;
}

const longest = 1 << 20;

async function textOf(response: SendResponse): Promise<string> {
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
