import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { asFerryError, FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import type { Host } from "../../host/host.ts";

export type CertificateHost = Pick<Host, "files" | "clock" | "platform" | "uid">;

/** What the service proves with that it is who it says, checked. */
export interface Certificate {
  /** PEM, with the certificates that lead to an authority behind it. */
  readonly cert: string;
  readonly key: string;
  /** What the service goes by in links: as a URL has it, so an IPv6 address in brackets. */
  readonly hostname: string;
  /** Whether a client that called this name would believe the certificate. */
  covers(hostname: string): boolean;
}

/** In bytes: a chain has a few KiB. */
const longest = 1024 * 1024;

/**
 * Reads a certificate and its key. `address` is where the service listens: its name in links, where the certificate is for it.
 * @throws FerryError usage for a file that isn't there or isn't what it should be, a key of another certificate, a certificate that isn't
 *   valid now or names nothing that a client can call; auth for a key that others can read
 */
export async function readCertificate(
  certPath: string,
  keyPath: string,
  address: string,
  host: CertificateHost,
): Promise<Certificate> {
  const cert = await readNamed(certPath, "--tls-cert", host);
  const leaf = parse(() => new X509Certificate(cert), `--tls-cert: ${oneLine(certPath)} is no certificate in PEM`);
  await checkOwner(keyPath, host);
  const key = await readNamed(keyPath, "--tls-key", host);
  if (!leaf.checkPrivateKey(readKey(key, keyPath)))
    throw new FerryError("usage", `--tls-key: ${oneLine(keyPath)} is not the key of the certificate ${oneLine(certPath)}`, {
      hint: "in a file of several certificates the service's own comes first",
    });
  checkTime(leaf, certPath, host.clock.now());
  const covers = (hostname: string): boolean => isCovered(leaf, hostname);
  const hostname = [urlHost(address), ...namesOf(leaf)].find(covers);
  if (hostname === undefined)
    throw new FerryError(
      "usage",
      `--tls-cert: ${oneLine(certPath)} names no host (its subjectAltName: ${leaf.subjectAltName ?? "none"})`,
      {
        hint: "clients look for the host's name there; for a certificate of *.example.com give the name to --listen",
      },
    );
  return { cert, key, hostname, covers };
}

async function readNamed(path: string, flag: string, { files }: CertificateHost): Promise<string> {
  const bytes = await files.read(path, longest).catch((cause: unknown) => {
    throw new FerryError("usage", `${flag}: ${asFerryError(cause).message}`, { cause });
  });
  if (bytes === undefined) throw new FerryError("usage", `${flag}: there is no file ${oneLine(path)}`);
  return Buffer.from(bytes).toString("utf8");
}

function parse<T>(read: () => T, message: string): T {
  try {
    return read();
  } catch (cause) {
    throw new FerryError("usage", message, { cause });
  }
}

function readKey(pem: string, path: string): KeyObject {
  const isSealed = /^-----BEGIN ENCRYPTED|^Proc-Type:.*ENCRYPTED/mu.test(pem);
  const what = isSealed ? "is encrypted: ferry has no passphrase for it" : "is no private key in PEM";
  return parse(() => createPrivateKey(pem), `--tls-key: ${oneLine(path)} ${what}`);
}

/** Root's own may be read by a group, as Debian's `ssl-cert` does; nobody's by everyone. A link is as good as what it leads to. */
async function checkOwner(path: string, { files, platform }: CertificateHost): Promise<void> {
  const status = await files.status(await files.target(path));
  if (status === undefined || platform === "win32") return;
  const tooMuch = status.uid === 0 ? 0o037 : 0o077;
  if ((status.mode & tooMuch) === 0) return;
  throw new FerryError("auth", `--tls-key: others can open ${oneLine(path)}`, {
    hint: `let nobody else read it: chmod 600 ${oneLine(path)}`,
  });
}

function checkTime({ validFrom, validTo }: X509Certificate, path: string, now: number): void {
  if (now < Date.parse(validFrom)) throw new FerryError("usage", `--tls-cert: ${oneLine(path)} is not valid before ${validFrom}`);
  if (now <= Date.parse(validTo)) return;
  throw new FerryError("usage", `--tls-cert: ${oneLine(path)} expired on ${validTo}`, {
    hint: "renew it, or give the one that was renewed",
  });
}

/** The hosts in it that can be called, names first. */
function namesOf({ subjectAltName = "" }: X509Certificate): string[] {
  const found = (kind: RegExp): string[] => [...subjectAltName.matchAll(kind)].map(([, name = ""]) => urlHost(name));
  return [...found(/(?:^|, )DNS:([\w.-]+)(?=,|$)/gu), ...found(/(?:^|, )IP Address:([\da-f.:]+)(?=,|$)/giu)];
}

function isCovered(leaf: X509Certificate, hostname: string): boolean {
  const address = /^\[(.+)\]$|^([\d.]+)$/u.exec(hostname);
  if (address !== null) return leaf.checkIP(address[1] ?? address[2] ?? "") !== undefined;
  // Its subject is no name of it any more (RFC 9110, 4.3.4).
  return leaf.checkHost(hostname, { subject: "never" }) !== undefined;
}

/** As a URL has it: in lower case, and an IPv6 address short and in brackets. */
function urlHost(name: string): string {
  const url = `https://${name.includes(":") ? `[${name}]` : name}`;
  return URL.canParse(url) ? new URL(url).hostname : name;
}
