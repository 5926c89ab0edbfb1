import { hostName } from "../../../auth/address.ts";
import { FerryError } from "../../../base/errors.ts";
import { exactWord } from "../../../base/words.ts";
import type { ApiKey } from "../../../client/http/key.ts";
import type { Context } from "../../context.ts";
import { hasKeySet } from "../host/choose.ts";

/** Bytes of a key at most. */
const limit = 64 * 1024;

/**
 * The key that was piped in; on a terminal it is asked for, since what is typed there could be read by who looks on.
 * @throws FerryError auth on a terminal with nobody to ask
 */
export async function keyFromStdin(context: Context, url: string): Promise<ApiKey> {
  const { host } = context;
  if (host.terminal.stdin.isTTY) {
    await checkSomebody(context, url);
    return typedKey(context, url);
  }
  const text = new TextDecoder().decode(await host.terminal.stdin.read(limit));
  return { value: text.trim(), source: "standard input" };
}

/** The key that a person types unseen: for a service that gives keys only in its portal. */
export async function keyFromPrompt(context: Context, url: string): Promise<ApiKey> {
  await context.print.warn(`${hostName(url)} has no login by browser: make a key in its portal, in the developer settings`);
  return typedKey(context, url);
}

/** @throws FerryError auth where there is nobody to log in */
export async function checkSomebody(context: Context, url: string): Promise<void> {
  if (context.interactive) return;
  throw new FerryError("auth", "a login needs a person at a terminal", {
    hint: (await hasKeySet(context, url))
      ? "FERRY_API_KEY is set: commands use that key without a login, where FERRY_HOST or --host names the host"
      : `set FERRY_HOST and FERRY_API_KEY, or pipe a key to "ferry login --host ${exactWord(url) ?? "HOST"} --with-token"`,
  });
}

async function typedKey({ host }: Context, url: string): Promise<ApiKey> {
  return { value: (await host.prompt.hidden(`API key for ${hostName(url)}:`)).trim(), source: "what you typed" };
}
