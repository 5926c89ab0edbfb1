import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** A certificate authority of its own, and a certificate by it for 127.0.0.1 and ferry.test. */
export function makeCertificates(folder: string): void {
  const run = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  run("req", "-x509", ...key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=ferry test CA", "-days", "2");
  run("req", ...key, "-keyout", "host.key", "-out", "host.csr", "-subj", "/CN=ferry.test");
  writeFileSync(join(folder, "names"), "subjectAltName=DNS:ferry.test,IP:127.0.0.1\n");
  run(
    "x509",
    "-req",
    "-in",
    "host.csr",
    "-CA",
    "ca.pem",
    "-CAkey",
    "ca.key",
    "-CAcreateserial",
    "-out",
    "host.pem",
    "-days",
    "2",
    "-extfile",
    "names",
  );
}
