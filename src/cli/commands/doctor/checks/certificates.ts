import { shellWord } from "../../../../base/words.ts";
import type { Check } from "../check.ts";

export const certificates: Check = {
  name: "certificates",
  async run({ host }) {
    const path = host.env["NODE_EXTRA_CA_CERTS"] ?? "";
    const elsewhere = host.env["SSL_CERT_FILE"] ?? "";
    if (path === "" && elsewhere !== "")
      return {
        verdict: "warning",
        says: "Node's own certificate authorities, without those of SSL_CERT_FILE, which Node doesn't read",
        hint: `export NODE_EXTRA_CA_CERTS=${shellWord(elsewhere)}`,
      };
    if (path === "") return { verdict: "ok", says: "Node's own certificate authorities" };
    const text = await host.files.readText(path);
    const hint = "set NODE_EXTRA_CA_CERTS to the PEM file of your organisation's certificate authority";
    if (text === undefined)
      return { verdict: "failed", says: `NODE_EXTRA_CA_CERTS names a file that isn't there: ${path}`, hint };
    const count = text.split("-----BEGIN CERTIFICATE-----").length - 1;
    if (count === 0) return { verdict: "failed", says: `no certificate in ${path} (NODE_EXTRA_CA_CERTS)`, hint };
    return { verdict: "ok", says: `Node's own certificate authorities, and ${count} from ${path}` };
  },
};
