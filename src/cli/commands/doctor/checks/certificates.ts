import { X509Certificate } from "node:crypto";
import { shellWord } from "../../../../base/words.ts";
import type { Environment, Host } from "../../../../host/host.ts";
import type { Check, Finding } from "../check.ts";

export const certificates: Check = {
  name: "certificates",
  async run({ host }) {
    const { env } = host;
    if (env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0")
      return {
        verdict: "failed",
        says: "none is checked (NODE_TLS_REJECT_UNAUTHORIZED=0): whoever is in between can read your key",
        hint: "unset NODE_TLS_REJECT_UNAUTHORIZED; for a certificate authority of your organisation's own: NODE_EXTRA_CA_CERTS",
      };
    const preset = presetOf(env);
    const elsewhere = env["SSL_CERT_FILE"] ?? "";
    // OpenSSL says nothing of a file there that it can't read.
    const read = elsewhere !== "" && preset.readsFile ? await countIn(host, elsewhere, "SSL_CERT_FILE") : 0;
    if (typeof read !== "number") return read;
    const path = env["NODE_EXTRA_CA_CERTS"] ?? "";
    if (path !== "") return extra(host, path, preset);
    if (elsewhere !== "" && !preset.readsFile)
      return {
        verdict: "warning",
        says: `${preset.name}, without those of SSL_CERT_FILE, which Node doesn't read`,
        hint: `export NODE_EXTRA_CA_CERTS=${shellWord(elsewhere)}`,
      };
    return { verdict: "ok", says: elsewhere === "" ? preset.name : `${preset.name}, those of SSL_CERT_FILE among them` };
  },
};

interface Preset {
  readonly name: string;
  readonly readsFile: boolean;
}

/** Which authorities Node believes by itself: the last of these flags counts (Node.js, Command-line API). */
function presetOf(env: Environment): Preset {
  const flags = (env["NODE_OPTIONS"] ?? "").split(/\s+/u);
  if (flags.includes("--use-openssl-ca")) return { name: "OpenSSL's certificate authorities", readsFile: true };
  const system = flags.includes("--use-system-ca") || env["NODE_USE_SYSTEM_CA"] === "1";
  return {
    name: system ? "Node's own certificate authorities and the system's" : "Node's own certificate authorities",
    readsFile: false,
  };
}

async function extra(host: Host, path: string, { name }: Preset): Promise<Finding> {
  const found = await countIn(host, path, "NODE_EXTRA_CA_CERTS");
  return typeof found === "number" ? { verdict: "ok", says: `${name}, and ${found} from ${path}` } : found;
}

/** How many certificates are in the file that the variable names, or why it gives none. */
async function countIn({ files }: Host, path: string, variable: string): Promise<Finding | number> {
  const text = await files.readText(path);
  const hint = `set ${variable} to the PEM file of your organisation's certificate authority`;
  if (text === undefined) return { verdict: "failed", says: `${variable} names a file that isn't there: ${path}`, hint };
  const found = text.match(/-----BEGIN ((?:X509 |TRUSTED )?CERTIFICATE)-----[^-]*(?:-----END \1-----)?/gu) ?? [];
  if (found.length === 0) return { verdict: "failed", says: `no certificate in ${path} (${variable})`, hint };
  const broken = found.findIndex((each) => !isCertificate(each));
  if (broken !== -1)
    return { verdict: "failed", says: `Node can't read certificate ${broken + 1} in ${path} (${variable})`, hint };
  return found.length;
}

function isCertificate(text: string): boolean {
  try {
    new X509Certificate(text);
    return true;
  } catch {
    return false;
  }
}
