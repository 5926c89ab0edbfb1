import { makeFailures } from "../../src/service/portal/failures.ts";
import { makePasswords } from "../../src/service/portal/passwords.ts";
import { makeSignInLink } from "../../src/service/portal/sign-in-link.ts";
import { makeSite } from "../../src/service/portal/site.ts";
import { namesOf } from "../../src/service/reach/names.ts";
import type { App } from "../../src/service/app.ts";
import type { Send } from "../../src/host/host.ts";
import { sendTo, type TestService } from "./service.ts";

/** The site of a test service in process, and a browser that goes through it: it keeps cookies, and sends what forms send. */
export interface TestSite {
  readonly origin: string;
  readonly app: App;
  /** As programs reach it. */
  readonly send: Send;
  /** The code of the newest sign-in link. */
  signInCode(): string;
  browser(): Browser;
}

export interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Browser {
  /** A page of the site; after signIn() the one below the sign-in's own path. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Page>;
  /** Sends a form of ours, its hidden fields being those of the page shown last. */
  submit(path: string, fields: Readonly<Record<string, string>>, headers?: Readonly<Record<string, string>>): Promise<Page>;
  /** By the link, or as the user who has this name and password. */
  signIn(as?: { readonly name: string; readonly password: string }): Promise<void>;
  /** What it has of the sign-in: the path that its pages begin with, and what the header `cookie` holds there. */
  signedIn(): { readonly base: string; readonly cookie: string };
}

const port = 8080;

export async function makeTestSite({
  app,
  deps,
  user,
  ownKeyId,
  shared = false,
}: Pick<TestService, "app" | "deps" | "user" | "ownKeyId"> & { readonly shared?: boolean }): Promise<TestSite> {
  const origin = `http://127.0.0.1:${port}`;
  let code = "";
  const link = await makeSignInLink(deps.random, async (fresh) => void (code = fresh));
  const { store, keyEnds, clock, random, log } = deps;
  const wrongCodes = makeFailures(10, 600_000, clock);
  const site = makeSite({
    store,
    keyEnds,
    clock,
    random,
    log,
    link,
    wrongCodes,
    passwords: shared ? makePasswords({ store, clock, random }) : undefined,
    api: app,
    names: () => namesOf({ address: "127.0.0.1", port }, origin),
    userId: user.id,
    ownKeyId,
  });
  const named: App = (request) => site(withHost(request, `127.0.0.1:${port}`));
  return { origin, app: site, send: sendTo(named), signInCode: () => code, browser: () => makeBrowser(site, origin, () => code) };
}

/** A Request forbids the header `host` to nobody but browsers; the listener sets it from the connection. */
function withHost(request: Request, host: string): Request {
  const headers = new Headers(request.headers);
  if (!headers.has("host")) headers.set("host", host);
  return new Request(request, { headers });
}

function makeBrowser(site: App, origin: string, code: () => string): Browser {
  let cookies: { readonly path: string; readonly text: string }[] = [];
  let base = "";
  let shown = "";
  const cookieAt = (path: string): string =>
    cookies
      .filter((cookie) => path === cookie.path || path.startsWith(`${cookie.path}/`))
      .map(({ text }) => text)
      .join("; ");
  async function visit(method: string, page: string, headers: Record<string, string>, body?: string): Promise<Page> {
    const path = base + page;
    const cookie = cookieAt(new URL(path, origin).pathname);
    const sent = { host: "127.0.0.1:8080", ...(cookie !== "" && { cookie }), ...headers };
    const response = await site(new Request(origin + path, { method, headers: sent, ...(body !== undefined && { body }) }));
    const [, text = "", at = ""] = /^([^;]+); Path=(\S+);/u.exec(response.headers.get("set-cookie") ?? "") ?? [];
    if (text !== "") cookies = [...cookies.filter((one) => one.path !== at), { path: at, text }];
    shown = await response.text();
    return { status: response.status, headers: response.headers, text: shown };
  }
  const browser: Browser = {
    get: (path, headers = {}) => visit("GET", path, { ...headers }),
    submit(path, fields, headers = {}) {
      const form = new URLSearchParams();
      for (const [, name = "", value = ""] of shown.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/gu))
        form.set(name, value);
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      return visit("POST", path, { origin, "content-type": "application/x-www-form-urlencoded", ...headers }, form.toString());
    },
    async signIn(as) {
      await browser.get(as === undefined ? `/sign-in?code=${code()}` : "/sign-in");
      const { status, headers } = await browser.submit(as === undefined ? "/sign-in" : "/sign-in/password", { ...as });
      if (status !== 303) throw new Error(`signing in gave ${status}`);
      base = (headers.get("location") ?? "").replace(/\/$/u, "");
    },
    signedIn: () => ({ base, cookie: cookieAt(base) }),
  };
  return browser;
}
