import { FerryError } from "../../base/errors.ts";
import type { Host } from "../../host/host.ts";
import { confirmationCode, loginClient } from "../../wire/login.ts";
import type { Caller } from "../oauth/caller.ts";
import { type Binding, makeBinding } from "../oauth/pkce.ts";
import { redeem } from "../oauth/redeem.ts";
import type { Redeeming } from "../oauth/token-call.ts";
import { requesterOf } from "../oauth/requester.ts";
import { checkAddress, type LoginServer, requireTokens } from "../oauth/server.ts";
import { type Callback, isIssuer, openCallback } from "./callback.ts";
import { readPasted } from "./paste.ts";
import { makeRefuse } from "./refuse.ts";
import { makeStartPage } from "./start.ts";

type LoginHost = Pick<Host, "network" | "random" | "clock" | "hostname" | "system" | "version">;

/** How a browser login meets its person. */
export interface BrowserLogin {
  readonly scopes: readonly string[];
  /** Shows the address and the code that the page must show, too, and opens it where it can. */
  show(start: LoginStart): Promise<void>;
  /** Asks for what the browser ended with; `until` in epoch ms. Rejects with the signal's reason. */
  paste(until: number, signal: AbortSignal): Promise<string>;
  /** Is awaited before a code is redeemed: from then on there may be a key. */
  readonly redeeming: Redeeming;
  /** Says that a paste, or what the browser came back with, was no use, and why; or that somebody meddles. */
  complain(why: string): Promise<void>;
}

export interface LoginStart {
  readonly url: string;
  /** What leads a browser of this machine there, and tells nothing to who sees it. */
  readonly opening: string;
  readonly code: string;
  /** Why the browser can't come back by itself. */
  readonly pasteOnly: string | undefined;
}

const patience = 600_000;

/**
 * A key by the authorization code grant: the browser comes back to a port of this machine, or a person carries what it ended
 * with, whichever is first.
 * @throws FerryError auth where it was denied, refused, or nobody came back within ten minutes
 */
export async function loginByBrowser(host: LoginHost, server: LoginServer, caller: Caller, login: BrowserLogin): Promise<string> {
  requireTokens(server);
  const page = authorizationPage(server);
  const binding = makeBinding(host.random);
  const refuse = makeRefuse((what) => login.complain(what));
  const callback = await tryCallback(host, { binding, start: makeStartPage(host.random, refuse), refuse }, server);
  const redirectUri = callback.redirectUri;
  const url = authorizationUrl(page, binding, {
    ...requesterOf(host),
    redirect_uri: redirectUri,
    scope: login.scopes.join(" "),
  });
  const over = new AbortController();
  const signal = AbortSignal.any([caller.signal, over.signal]);
  try {
    const code = await confirmationCode(binding.challenge);
    await login.show({ url, opening: callback.startAt(url), code, pasteOnly: callback.missing });
    const { redeeming } = login;
    const take = oneAtATime((parameters) => redeem(server, caller, binding, { parameters, redirectUri, redeeming }));
    const key = await Promise.race([
      cameBack(callback, login, take),
      pasted(server, login, { binding, shown: code, until: host.clock.now() + patience, signal, take }),
      host.clock.sleep(patience, signal).then(() => {
        throw new FerryError("auth", "nobody came back from the browser within ten minutes", { hint: "run ferry login again" });
      }),
    ]);
    callback.finish("done");
    return key;
  } catch (error) {
    callback.finish(error instanceof FerryError && error.code === "access_denied" ? "denied" : "failed");
    throw error;
  } finally {
    over.abort(new FerryError("interrupted", "the login is over"));
    await callback.close();
  }
}

type Take = (parameters: URLSearchParams) => Promise<string>;

/**
 * Browser and paste may bring the same code, and a code that is used twice is revoked: who comes second gets what the first got.
 * Where that was another code, and wrong, the second's own is tried then.
 */
function oneAtATime(take: Take): Take {
  let running: { readonly code: string | null; readonly key: Promise<string> } | undefined;
  return async (parameters) => {
    const code = parameters.get("code");
    while (running !== undefined) {
      const before = running;
      try {
        return await before.key;
      } catch (error) {
        wrongCode(error);
        if (before.code === code) throw error;
        if (running === before) running = undefined;
      }
    }
    running = { code, key: take(parameters) };
    const own = running;
    try {
      return await own.key;
    } catch (error) {
      if (running === own) running = undefined;
      throw error;
    }
  };
}

interface Waiting extends Callback {
  /** Why there is no listener. */
  readonly missing: string | undefined;
}

/** Without a listener the code has to be pasted: the address without a port tells the service that nobody listens. */
async function tryCallback(
  { network }: LoginHost,
  ours: Parameters<typeof openCallback>[1],
  { metadata }: LoginServer,
): Promise<Waiting> {
  try {
    return { ...(await openCallback(network, ours, metadata)), missing: undefined };
  } catch (error) {
    const missing = error instanceof Error ? error.message : String(error);
    const never = new Promise<never>(() => undefined);
    return {
      redirectUri: "http://127.0.0.1/callback",
      startAt: (url) => url,
      next: () => never,
      finish: () => undefined,
      close: async () => undefined,
      missing,
    };
  }
}

function authorizationPage({ metadata, address }: LoginServer): URL {
  const endpoint = metadata.authorization_endpoint;
  if (endpoint !== undefined) return checkAddress(endpoint, address, "authorization_endpoint");
  throw new FerryError("failure", `${new URL(address).host} has no login by browser`, { hint: "try --device or --with-token" });
}

function authorizationUrl(page: URL, binding: Binding, asked: Readonly<Record<string, string>>): string {
  const url = new URL(page);
  const parameters = {
    response_type: "code",
    client_id: loginClient,
    state: binding.state,
    code_challenge: binding.challenge,
    code_challenge_method: "S256",
    ...asked,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** Waits until a browser brings a code that gives a key: a wrong one, whoever sent it, ends nothing. */
async function cameBack(callback: Callback, login: BrowserLogin, take: Take): Promise<string> {
  for (;;) {
    const { parameters, answer } = await callback.next();
    try {
      return await take(parameters);
    } catch (error) {
      const why = wrongCode(error);
      answer("failed");
      await login.complain(`${why}; approve it once more at the address above, or give up with Ctrl-C`);
    }
  }
}

interface Pasting {
  readonly binding: Binding;
  /** The code that is only to be compared. */
  readonly shown: string;
  readonly until: number;
  readonly signal: AbortSignal;
  readonly take: Take;
}

/** Asks until a paste gives a key: a slip of the hand ends nothing. */
async function pasted(server: LoginServer, login: BrowserLogin, pasting: Pasting): Promise<string> {
  const { binding, shown, until, signal, take } = pasting;
  const { state } = binding;
  for (;;) {
    const text = await login.paste(until, signal);
    const parameters = readPasted(text, { state, issuer: server.metadata.issuer });
    if (isConfirmation(text, shown))
      await login.complain(
        "that code is only to compare with the page's: approve it there, and paste what the page gives you then",
      );
    else if (parameters === undefined) await login.complain("that is neither a code nor the address that the browser ended at");
    else if (parameters.get("state") !== state || !isIssuer(parameters, server.metadata))
      await login.complain("that is the address of another login");
    else {
      try {
        return await take(parameters);
      } catch (error) {
        await login.complain(wrongCode(error));
      }
    }
  }
}

/** Two codes are on the screen of a login, and only one of them is to be typed. */
function isConfirmation(text: string, shown: string): boolean {
  const bare = (code: string): string => code.replace(/[\s-]/gu, "").toUpperCase();
  return bare(text) === bare(shown);
}

/** What the service says of a code that is wrong, used or too old. @throws the error where it is another one */
function wrongCode(error: unknown): string {
  if (error instanceof FerryError && error.code === "invalid_grant") return error.message;
  throw error;
}
