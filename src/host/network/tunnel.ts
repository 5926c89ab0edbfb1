import http from "node:http";
import { connect, isIP, type Socket } from "node:net";
import { type Bounds, bounded, ready } from "./bounded.ts";
import { noAnswer } from "./failure.ts";
import { bare, type Proxy } from "./proxy.ts";
import { isTunnel, nameOf, refusal, silence, unreached } from "./refusal.ts";

/** How long the way through a proxy may take to be made, in ms: to the proxy, the tunnel, and TLS in that. */
const tunnelTimeout = 15_000;

/** Where a tunnel leads: `host` with its port, as CONNECT has it. */
export interface Way {
  readonly proxy: Proxy;
  readonly host: string;
  readonly timeout?: number;
}

/**
 * A connection to a host in a tunnel of the proxy (RFC 9110, 9.3.6). Who isn't reached, or doesn't answer, is told by name.
 * @throws NoAnswerError, or FerryError unavailable where the proxy refuses
 */
export function openTunnel(way: Way): Promise<Socket> {
  return dig(way, boundsOf(way, new AbortController().signal));
}

/**
 * The same with TLS to the host in it.
 * @throws as `openTunnel`; the signal's reason where it aborts
 */
export async function openSecureTunnel(way: Way, signal: AbortSignal): Promise<Socket> {
  const { proxy, host } = way;
  const bounds = boundsOf(way, signal);
  const socket = await dig(way, bounds);
  const { hostname } = new URL(`https://${host}`);
  const secured = overTls(socket, bare(hostname));
  const name = `${host.replace(/:443$/u, "")}, through ${nameOf(proxy)}`;
  return bounded(secured, ready(secured, "secureConnect"), {
    ...bounds,
    late: (within) => silence(`${name}: no TLS connection ${within}`, proxy),
    failed: (error) => noAnswer(error, name, false),
  });
}

function boundsOf({ timeout = tunnelTimeout }: Way, signal: AbortSignal): Bounds {
  return { signal, limit: AbortSignal.timeout(timeout), seconds: timeout / 1000 };
}

async function dig({ proxy, host }: Way, bounds: Bounds): Promise<Socket> {
  const socket = await reach(proxy, bounds);
  return bounded(socket, askFor(proxy, host, socket), {
    ...bounds,
    late: (within) => silence(`${nameOf(proxy)} made no connection to ${host} ${within}`, proxy),
    failed: (error) => unreached(`${nameOf(proxy)}, asked for ${host}`, error, proxy),
  });
}

/**
 * Whether a proxy can be reached: connects to it, and hangs up.
 * @throws NoAnswerError where it can't; the signal's reason where it aborts
 */
export async function knockAt(proxy: Proxy, timeout: number, signal: AbortSignal): Promise<void> {
  (await reach(proxy, { signal, limit: AbortSignal.timeout(timeout), seconds: timeout / 1000 })).destroy();
}

async function reach(proxy: Proxy, bounds: Bounds): Promise<Socket> {
  const { protocol, hostname, port } = proxy.url;
  const name = bare(hostname);
  const told = {
    ...bounds,
    late: (within: string) => silence(`${nameOf(proxy)}: no connection ${within}`, proxy),
    failed: (error: unknown) => unreached(nameOf(proxy), error, proxy),
  };
  const plain = connect({ host: name, port: Number(port || (protocol === "https:" ? 443 : 80)) });
  await bounded(plain, ready(plain, "connect"), told);
  if (protocol === "http:") return plain;
  const secured = overTls(plain, name);
  return bounded(secured, ready(secured, "secureConnect"), told);
}

/** Asks the proxy for a tunnel through `socket`. */
function askFor(proxy: Proxy, host: string, socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { host, connection: "keep-alive", ...credentials(proxy) };
    const asked = http.request({ createConnection: () => socket, method: "CONNECT", path: host, headers });
    asked.once("connect", ({ statusCode = 0 }, _, rest: Buffer) => {
      if (!isTunnel(statusCode)) {
        reject(refusal(proxy, host, statusCode));
        return;
      }
      if (rest.length > 0) socket.unshift(rest);
      resolve();
    });
    asked.on("error", reject);
    asked.once("close", () => reject(Object.assign(new Error("closed"), { code: "ECONNRESET" })));
    asked.end();
  });
}

function credentials({ url: { username, password } }: Proxy): Readonly<Record<string, string>> {
  if (username === "" && password === "") return {};
  const pair = `${decoded(username)}:${decoded(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}

/** Many write a password as it is: what is no escape stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Its TLS is loaded where there is some. */
function overTls(socket: Socket, host: string): Socket {
  const name = isIP(host) === 0 ? { servername: host } : {};
  return process.getBuiltinModule("node:tls").connect({ socket, host, ...name, ALPNProtocols: ["http/1.1"] });
}
