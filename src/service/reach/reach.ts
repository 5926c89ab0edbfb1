import { FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import { type Certificate, type CertificateHost, readCertificate } from "./certificate.ts";

/** Where the service listens beside its socket, and by what it is reached there. */
export interface Reach {
  readonly address: string;
  /** 0 is one of the system's choice. */
  readonly port: number;
  /** What it speaks TLS with itself. */
  readonly tls?: Certificate | undefined;
  /** The origin of the proxy that speaks TLS for it. */
  readonly proxy?: string | undefined;
}

/** The same as it is asked for. */
export interface ReachRequest extends Pick<Reach, "address" | "port"> {
  /** Absolute paths of PEM files. */
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
  /** The address that browsers and programs have for the proxy. */
  readonly behindProxy?: string | undefined;
}

/** Whether others than the service's own user reach it: they sign in with passwords, and may not name files of this machine. */
export function isShared({ tls, proxy }: Reach): boolean {
  return tls !== undefined || proxy !== undefined;
}

/**
 * Checks all that was asked for before anything is started.
 * @throws FerryError usage for an address that isn't loopback without TLS, a certificate or key that can't be used, or a proxy's
 *   address that is no https origin; auth for a key that others can read
 */
export async function planReach(asked: ReachRequest, host: CertificateHost): Promise<Reach> {
  const { address, port, tlsCert, tlsKey, behindProxy } = asked;
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new FerryError("usage", `--tls-${tlsCert === undefined ? "key" : "cert"} alone is not enough`, {
      hint: "--tls-cert and --tls-key belong together",
    });
  if (behindProxy !== undefined) {
    if (tlsCert !== undefined)
      throw new FerryError("usage", "--tls-cert and --behind-proxy can't be used together", {
        hint: "either the service speaks TLS, or the proxy does for it",
      });
    return { address, port, proxy: proxyOrigin(behindProxy) };
  }
  if (tlsCert !== undefined && tlsKey !== undefined)
    return { address, port, tls: await readCertificate(tlsCert, tlsKey, address, host) };
  if (isLoopback(address)) return { address, port };
  throw new FerryError("usage", `without TLS the service listens on loopback addresses only, not on ${oneLine(address)}`, {
    hint: "give it a certificate (--tls-cert FILE --tls-key FILE), or say which proxy speaks TLS for it (--behind-proxy URL): anyone on the network could read keys on their way",
  });
}

function isLoopback(address: string): boolean {
  return /^(127(\.\d+){3}|::1|localhost)$/u.test(address);
}

/** The pages' addresses begin with a slash, and so do the interface's: below a path of the proxy they would lead elsewhere. */
function proxyOrigin(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === "https:" && url.href === `${url.origin}/`) return url.origin;
  throw new FerryError("usage", `--behind-proxy: ${oneLine(address)} is not an https address without a path`, {
    hint: "give what people type into their browsers, e.g. https://agents.example.com",
  });
}
