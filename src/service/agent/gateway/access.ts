import { FerryError } from "../../../base/errors.ts";
import type { KeyForm, Provider } from "./provider.ts";

/** A provider that can be called: where, and with which key. Stays in the service; nothing of it is told to an agent. */
export interface Access {
  readonly provider: Provider;
  /** Without a slash at its end. */
  readonly address: string;
  readonly form: KeyForm;
  /** "" for a model on this machine that asks for none. */
  readonly key: string;
}

/** The value of a variable, from the service's environment or where keys are kept. */
export type Secret = (variable: string) => Promise<string | undefined>;

/**
 * The way to a provider; undefined where there is no key for it.
 * @throws FerryError usage for an address that is none, or where a key would go over the network in the clear
 */
export async function findAccess(provider: Provider, secret: Secret): Promise<Access | undefined> {
  const named = await secret(provider.addressVariable);
  const address = checkAddress(named ?? provider.address, provider.addressVariable);
  for (const form of provider.keys) {
    const key = await secret(form.variable);
    if (key !== undefined) return { provider, address, form, key };
  }
  // What runs on this machine (a local model) often wants no key.
  const [form] = provider.keys;
  if (named === undefined || form === undefined || !isLoopback(new URL(address))) return undefined;
  return { provider, address, form, key: "" };
}

function checkAddress(text: string, variable: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol) || url.username !== "" || url.search !== "")
    throw new FerryError("usage", `${variable} is no address of a model provider`, { hint: "it looks like https://HOST/PATH" });
  if (url.protocol === "http:" && !isLoopback(url))
    throw new FerryError("usage", `${variable}: a key is only sent over https, or to this machine`);
  return url.href.replace(/\/+$/u, "");
}

function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/u.test(hostname);
}
