import type { Reach } from "./reach.ts";

/** What the site is called. */
export interface SiteNames {
  /** Its origin, for links. */
  readonly url: string;
  /** The origin that a request with this `Host` is for; undefined for a name that isn't the site's. */
  readonly originOf: (host: string) => string | undefined;
}

/**
 * The names of a site that listens at `bound` (`http://ADDRESS:PORT`): the loopback ones, those of its certificate, or the proxy's. What a
 * proxy forwards about the request (`X-Forwarded-…`) is not looked at: whoever reaches the port can say it.
 */
export function namesOf({ tls, proxy }: Reach, bound: string): SiteNames {
  if (proxy !== undefined) return { url: proxy, originOf: (host) => (originWith(host, proxy) === proxy ? proxy : undefined) };
  const { hostname, port } = new URL(bound);
  if (tls === undefined) return loopbackNames(bound, hostname, port);
  return {
    url: new URL(`https://${tls.hostname}:${port}`).origin,
    originOf(host) {
      const called = `https://${host}`;
      if (!URL.canParse(called)) return undefined;
      const { origin, hostname: name, port: given } = new URL(called);
      return given === port && tls.covers(name) ? origin : undefined;
    },
  };
}

/** Capitals mean nothing in it, nor does the port that the scheme has anyway (RFC 9110, 4.2.3). */
function originWith(host: string, like: string): string | undefined {
  const called = `${new URL(like).protocol}//${host}`;
  if (/[/?#@\\]/u.test(host) || !URL.canParse(called)) return undefined;
  return new URL(called).origin;
}

/** The port of http itself is left out by browsers (RFC 9110, 4.2.1), as URL leaves it out. */
function loopbackNames(url: string, hostname: string, port: string): SiteNames {
  const hosts = [hostname, "127.0.0.1", "localhost", "[::1]"].map((name) => (port === "" ? name : `${name}:${port}`));
  return { url, originOf: (host) => (hosts.includes(host) ? `http://${host}` : undefined) };
}
