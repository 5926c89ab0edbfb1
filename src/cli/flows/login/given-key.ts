import { hostName } from "../../../auth/address.ts";
import { FerryError } from "../../../base/errors.ts";
import type { ApiKey } from "../../../client/http/key.ts";
import type { Context } from "../../context.ts";

/** Bytes of a key at most. */
const limit = 64 * 1024;

/** The key that was piped in. */
export async function keyFromStdin({ host }: Context): Promise<ApiKey> {
  const text = new TextDecoder().decode(await host.terminal.stdin.read(limit));
  return { value: text.trim(), source: "standard input" };
}

/** The key that a person types unseen: for a service that gives keys only in its portal. */
export async function keyFromPrompt({ host, print }: Context, url: string): Promise<ApiKey> {
  await print.warn(`${hostName(url)} has no login by browser: make a key in its portal, in the developer settings`);
  return { value: (await host.prompt.hidden(`API key for ${hostName(url)}:`)).trim(), source: "the answer" };
}

/** @throws FerryError auth where there is nobody to log in */
export function checkSomebody({ interactive }: Context): void {
  if (interactive) return;
  throw new FerryError("auth", "nobody to ask for a key", {
    hint: 'set FERRY_HOST and FERRY_API_KEY, or pipe a key to "ferry login --with-token"',
  });
}
