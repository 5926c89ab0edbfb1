import { join } from "node:path";
import { FerryError } from "../../base/errors.ts";
import { makeId } from "../../base/ids.ts";
import type { Host } from "../../host/host.ts";
import { mintApiKey } from "../keys/api-key.ts";
import { hashSecret } from "../keys/secret.ts";
import type { Store } from "../store/store.ts";

export type LocalHost = Pick<Host, "env" | "files" | "random" | "clock">;

/** The one user of a service on one's own machine; the system's accounts are the guard, not a password. */
export const localUser = "usr_local";

/** Of a database that has none. */
export function newWorkspace({ random }: Pick<Host, "random">): Store["workspace"] {
  return { id: makeId("wsp", random), name: "local" };
}

/**
 * Sees to it that the data folder's `key` file holds a key of the local user that works, readable to nobody else. Gives the
 * key's id.
 */
export async function provideKey(data: string, store: Store, host: LocalHost): Promise<string> {
  const path = join(data, "key");
  const known = await host.files.readText(path);
  const record = known === undefined ? undefined : await store.keys.findByHash(hashSecret(known.trim()));
  if (record?.revoked_at === null) return record.id;
  if ((await store.keys.findUser(localUser)) === undefined)
    await store.keys.insertUser({ id: localUser, name: userName(host), email: "" });
  const key = mintApiKey(host.random);
  const id = makeId("key", host.random);
  await store.keys.insert({
    id,
    name: "local",
    user_id: localUser,
    hash: hashSecret(key),
    scopes: ["all:all"],
    expires_at: null,
    revoked_at: null,
    created_at: new Date(host.clock.now()).toISOString(),
  });
  await host.files.write(path, key, 0o600);
  return id;
}

/** The data folder's `origin`: an id by which clients tell this folder's sessions from those of one that replaced it. */
export async function provideOrigin(data: string, { files, random }: LocalHost): Promise<void> {
  await files.create(join(data, "origin"), Buffer.from(random(16)).toString("hex"), 0o600);
}

/** The 32 bytes that the providers' tokens are sealed with; without them the tokens are lost, so they are made only once. */
export async function provideSealKey(data: string, { files, random }: LocalHost): Promise<Uint8Array> {
  const path = join(data, "seal");
  await files.create(path, random(32), 0o600);
  const key = await files.read(path);
  if (key?.length !== 32)
    throw new FerryError("failure", `the key for stored tokens is damaged: ${path}`, {
      hint: "put it back from a backup; without it, remove it and give each code provider its token again",
    });
  return key;
}

function userName({ env }: LocalHost): string {
  return env["USER"] ?? env["LOGNAME"] ?? env["USERNAME"] ?? "local";
}
