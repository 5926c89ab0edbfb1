import { dirname, join } from "node:path";
import { FerryError } from "../../../base/errors.ts";
import { findFolders } from "../../../base/folders.ts";
import type { ApiKey } from "../../../client/http/key.ts";
import type { Host } from "../../../host/host.ts";

/** The embedded service of this user, as `service.json` in its data folder tells it. */
export interface LocalService {
  readonly pid: number;
  readonly socket: string;
  readonly version: string;
  readonly portal: string | undefined;
  /** The agent of sessions that name none, where it was started with one. */
  readonly agent: string | undefined;
  /** What locks its agents in; undefined where an earlier version doesn't say. */
  readonly sandbox: string | undefined;
  /** What its environment says of models' providers, the keys' values left out; undefined where an earlier version doesn't say. */
  readonly models: Readonly<Record<string, string>> | undefined;
  /** Signs a browser in, once. A secret: it is for this user's own screen. */
  readonly signInLink: string | undefined;
  /** The data folder's id. */
  readonly origin: string;
  readonly key: ApiKey;
}

/** Whether the embedded service ever ran for this user. */
export async function localWasUsed(host: Host): Promise<boolean> {
  return (await host.files.status(join(findFolders(host).data, "key"))) !== undefined;
}

/**
 * The running service; undefined where none runs.
 * @throws FerryError auth where its files are open to, or belong to, someone else, or its key is gone
 */
export async function findLocal(host: Host): Promise<LocalService | undefined> {
  const { data } = findFolders(host);
  const said = announced(await host.files.readText(join(data, "service.json")));
  if (said === undefined || (await host.processes.startTime(said.pid)) !== said.start_time) return undefined;
  const key = await readPrivate(host, join(data, "key"));
  const origin = await host.files.readText(join(data, "origin"));
  if (key === undefined || origin === undefined)
    throw new FerryError("auth", `${join(data, key === undefined ? "key" : "origin")} is gone, though the service runs`, {
      hint: `end it (kill ${said.pid}): the next start makes a new one`,
    });
  await checkOwner(host, host.platform === "win32" ? data : dirname(said.socket), "folder");
  const portal = said.portal_address ?? undefined;
  const code = await readPrivate(host, join(data, "sign-in"));
  return {
    pid: said.pid,
    socket: said.socket,
    version: said.version,
    portal,
    agent: said.agent ?? undefined,
    sandbox: said.sandbox,
    models: said.models,
    signInLink: portal === undefined || code === undefined ? undefined : `${portal}/sign-in?code=${code.trim()}`,
    origin: origin.trim(),
    key: {
      value: key.trim(),
      source: "the embedded service's key file",
      remedy: `end it (kill ${said.pid}): the next start makes a new one`,
    },
  };
}

/** One that runs, but whose `service.json` was taken away or damaged since it started: it still has its lock. */
export async function findSilent(host: Host): Promise<Pick<LocalService, "pid"> | undefined> {
  const { holderOf } = await import("../../../service/running/lock.ts");
  return holderOf(join(findFolders(host).data, "service.lock"), host);
}

/** Whether one could be started on its data folder. @throws FerryError failure where that, or the folder of its socket, isn't the user's alone */
export async function checkPlace(host: Host): Promise<void> {
  const { checkSocket } = await import("../../../service/running/socket.ts");
  await checkSocket(findFolders(host).data, host);
}

/**
 * One that has its lock since at most `most` ms and hasn't said where it is: it starts. One whose `service.json` is damaged has said so, and
 * would be waited for in vain.
 */
export async function findStarting(host: Host, most: number): Promise<Pick<LocalService, "pid"> | undefined> {
  const { data } = findFolders(host);
  const text = await host.files.readText(join(data, "service.json"));
  if (text !== undefined && announced(text) === undefined) return undefined;
  const since = (await host.files.status(join(data, "service.lock")))?.modified;
  return since === undefined || host.clock.now() - since >= most ? undefined : findSilent(host);
}

interface Announced {
  readonly pid: number;
  readonly start_time: string;
  readonly socket: string;
  readonly version: string;
  readonly portal_address?: string | null;
  readonly agent?: string | null;
  readonly sandbox?: string;
  readonly models?: Readonly<Record<string, string>>;
}

/** What `service.json` says; a damaged one says nothing, and the next start writes it anew. */
function announced(text = ""): Announced | undefined {
  try {
    const said = JSON.parse(text) as Record<keyof Announced, unknown> | null;
    return said !== null && isAnnounced(said) ? said : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isAnnounced(said: Record<keyof Announced, unknown>): said is Announced & Record<keyof Announced, unknown> {
  const portal = said.portal_address ?? "";
  const texts = [said.start_time, said.socket, said.version, portal, said.agent ?? "", said.sandbox ?? ""].every(
    (value) => typeof value === "string",
  );
  return texts && Number.isSafeInteger(said.pid) && areVariables(said.models ?? {});
}

function areVariables(said: unknown): boolean {
  return typeof said === "object" && said !== null && Object.values(said).every((value) => typeof value === "string");
}

async function readPrivate(host: Host, path: string): Promise<string | undefined> {
  if ((await host.files.status(path)) === undefined) return undefined;
  await checkOwner(host, path, "file");
  return host.files.readText(path);
}

/** Whoever could put a socket or a key there would get what we send. */
async function checkOwner(host: Host, path: string, kind: "file" | "folder"): Promise<void> {
  const status = await host.files.status(path);
  if (host.platform === "win32") return;
  if (status?.kind === kind && status.uid === host.uid && (status.mode & 0o077) === 0) return;
  const isYours = status?.kind === kind && status.uid === host.uid;
  throw new FerryError("auth", `${path} is not yours alone`, {
    hint: isYours ? `let nobody else open it: chmod go= ${path}` : `it must be a ${kind} of yours, and no link to one`,
  });
}
