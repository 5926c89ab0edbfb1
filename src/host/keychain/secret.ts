import { createDecipheriv, hkdfSync } from "node:crypto";
import { Writer } from "./bytes.ts";
import type { Method, Reply } from "./message.ts";
import { makePair } from "./modp2.ts";

/** What a secret was stored under. */
export interface SecretName {
  readonly service: string;
  readonly account: string;
}

/** Sends a call at once, and gives its answer. */
export type Caller = (method: Method) => Promise<Reply>;

export const secrets = { path: "/org/freedesktop/secrets", destination: "org.freedesktop.secrets" };

/**
 * Reads a secret that lies open to us, in two exchanges and encrypted on its way, as the library does in a process of its own.
 * Undefined for all else, such as one that is locked, of which there are several, or none: what that means, the library knows.
 * @see Secret Service API, Transfer of Secrets, and Service.SearchItems
 */
export async function readSecret(call: Caller, { service, account }: SecretName): Promise<string | undefined> {
  const pair = makePair();
  // Both go out together.
  const [opened, found] = await Promise.all([
    call(openSession(pair.publicNumber)),
    call(searchItems({ service, username: account })),
  ]);
  const [unlocked = [], locked = []] = [found?.texts(), found?.texts()];
  const [item, ...more] = unlocked;
  if (opened === undefined || item === undefined || more.length + locked.length > 0) return undefined;
  // The service's public key is a variant.
  if (opened.signature() !== "ay") return undefined;
  const shared = pair.secretWith(opened.blob());
  const session = opened.text();
  const secret = await call({
    ...secrets,
    path: item,
    interface: "org.freedesktop.Secret.Item",
    name: "GetSecret",
    body: ["o", new Writer().text(session)],
  });
  // (session, parameters, value, content type)
  secret?.text();
  const [iv, value] = [secret?.blob(), secret?.blob()];
  if (iv === undefined || value === undefined) return undefined;
  const key = hkdfSync("sha256", shared, Buffer.alloc(0), Buffer.alloc(0), 16);
  const decipher = createDecipheriv("aes-128-cbc", new Uint8Array(key), iv);
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
    Buffer.concat([decipher.update(value), decipher.final()]),
  );
}

function openSession(publicKey: Uint8Array): Method {
  const algorithm = "dh-ietf1024-sha256-aes128-cbc-pkcs7";
  const values = new Writer().text(algorithm).signature("ay").array(1, publicKey);
  return { ...secrets, interface: "org.freedesktop.Secret.Service", name: "OpenSession", body: ["sv", values] };
}

function searchItems(attributes: Readonly<Record<string, string>>): Method {
  const entries = new Writer();
  for (const [name, value] of Object.entries(attributes)) entries.align(8).text(name).text(value);
  const values = new Writer().array(8, entries.bytes);
  return { ...secrets, interface: "org.freedesktop.Secret.Service", name: "SearchItems", body: ["a{ss}", values] };
}
