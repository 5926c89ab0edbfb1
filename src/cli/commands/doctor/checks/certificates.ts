import { X509Certificate } from "node:crypto";
import { asFerryError } from "../../../../base/errors.ts";
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
    const read = elsewhere !== "" && preset.readsFile ? await countIn(host, elsewhere, openSsl) : 0;
    if (typeof read !== "number") return read;
    const path = env["NODE_EXTRA_CA_CERTS"] ?? "";
    if (path !== "") return extra(host, path, preset);
    if (elsewhere !== "" && !preset.readsFile) return unread(host, elsewhere, preset);
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

/** What another program's variable names is of use where Node would read it. */
async function unread(host: Host, path: string, { name }: Preset): Promise<Finding> {
  const found = await countIn(host, path, node);
  const hint = typeof found === "number" ? `export ${node.variable}=${shellWord(path)}` : found.hint;
  return { verdict: "warning", says: `${name}, without those of SSL_CERT_FILE, which Node doesn't read`, hint };
}

async function extra(host: Host, path: string, { name }: Preset): Promise<Finding> {
  const found = await countIn(host, path, node);
  return typeof found === "number" ? { verdict: "ok", says: `${name}, and ${found} from ${path}` } : found;
}

/** Who reads a file of certificates, the variable that names it, and the PEM labels that they take: the others they pass over. */
interface Reader {
  readonly name: string;
  readonly variable: string;
  readonly label: RegExp;
}

const node: Reader = { name: "Node", variable: "NODE_EXTRA_CA_CERTS", label: /^(X509 )?CERTIFICATE$/u };
const openSsl: Reader = { name: "OpenSSL", variable: "SSL_CERT_FILE", label: /CERTIFICATE$/u };

/** How many certificates are in the file that the variable names, or why it gives none. */
async function countIn({ files }: Host, path: string, { name, variable, label }: Reader): Promise<Finding | number> {
  const hint = `set ${variable} to the PEM file of your organisation's certificate authority`;
  const failed = (says: string): Finding => ({ verdict: "failed", says, hint });
  const text = await files.readText(path).catch((error: unknown) => failed(asFerryError(error).message));
  if (typeof text === "object") return text;
  if (text === undefined) return failed(`${variable} names a file that isn't there: ${path}`);
  const found = [...text.matchAll(/-----BEGIN ((?:X509 |TRUSTED )?CERTIFICATE)-----[^-]*(?:-----END \1-----)?/gu)];
  if (found.length === 0) return failed(`no certificate in ${path} (${variable})`);
  const broken = found.findIndex(([each, named = ""]) => !label.test(named) || !isCertificate(each));
  return broken === -1 ? found.length : failed(`${name} can't read certificate ${broken + 1} in ${path} (${variable})`);
}

function isCertificate(text: string): boolean {
  try {
    new X509Certificate(text);
    return true;
  } catch {
    return false;
  }
}
