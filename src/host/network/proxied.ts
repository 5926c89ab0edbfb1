import type { Dispatcher } from "undici";
import { isLoopback } from "../../base/address.ts";
import { FerryError } from "../../base/errors.ts";
import type { Environment } from "../host.ts";
import { codeOf, isCertificateError, NotSentError } from "./failure.ts";
import { connectTimeout, type Transport } from "./send.ts";

/**
 * The proxy that an address goes through by the environment. Never one for loopback: a proxy's own loopback is another machine,
 * and the key would go there in the clear. NO_PROXY is undici's to judge.
 */
export function proxyFor(address: string, env: Environment): string | undefined {
  const url = new URL(address);
  if (isLoopback(url.hostname)) return undefined;
  const name = url.protocol === "https:" ? "https_proxy" : "http_proxy";
  const proxy = lowerFirst(env, name);
  return proxy === "" ? undefined : proxy;
}

/** Through the environment's proxy, https in a CONNECT tunnel. */
export function proxiedTransport(env: Environment): Transport {
  let agent: Promise<Dispatcher> | undefined;
  return async (request, signal) => {
    const dispatcher = await (agent ??= makeAgent(env));
    const { origin, pathname, search } = new URL(request.url);
    const options = { origin, path: `${pathname}${search}`, method: request.method, headers: request.headers };
    try {
      const received = await dispatcher.request({
        ...options,
        body: request.body ?? null,
        signal,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      return { status: received.statusCode, headers: received.headers, body: received.body };
    } catch (error) {
      throw isBeforeSending(error) ? new NotSentError("not sent", { cause: error }) : error;
    }
  };
}

async function makeAgent(env: Environment): Promise<Dispatcher> {
  for (const name of ["http_proxy", "https_proxy"]) checkProxy(lowerFirst(env, name), name.toUpperCase());
  // A bundle of a CommonJS package has nothing but its default.
  const { default: undici } = await import("undici");
  return new undici.EnvHttpProxyAgent({
    httpProxy: lowerFirst(env, "http_proxy"),
    httpsProxy: lowerFirst(env, "https_proxy"),
    noProxy: lowerFirst(env, "no_proxy"),
    connect: { timeout: connectTimeout },
  });
}

/** undici's own error would hold the whole of it, and with it the password. */
function checkProxy(proxy: string, name: string): void {
  if (proxy !== "" && !/^(https?|socks5?h?):$/u.test(URL.canParse(proxy) ? new URL(proxy).protocol : ""))
    throw new FerryError("usage", `${name} is no address of a proxy`, { hint: "write it as http://proxy.example.com:3128" });
}

/** The lower-case name wins (as curl has it); "" where neither is set, so that undici doesn't look for itself. */
function lowerFirst(env: Environment, name: string): string {
  return env[name] ?? env[name.toUpperCase()] ?? "";
}

const beforeSending: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_ABORTED",
]);

/** No connection to the proxy, no tunnel, or no TLS in it: nothing of the request can have gone out. */
function isBeforeSending(error: unknown): boolean {
  const code = codeOf(error);
  return beforeSending.has(code) || isCertificateError(code);
}
