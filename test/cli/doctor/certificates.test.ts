import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { afterEach, beforeEach, expect, test } from "vitest";
import { certificates } from "../../../src/cli/commands/doctor/checks/certificates.ts";
import type { Context } from "../../../src/cli/context.ts";
import { makeWorld, type World } from "../../support/world.ts";

let world: World;
let path: string;
beforeEach(() => {
  world = makeWorld();
  path = join(world.folder, "ca.pem");
});
afterEach(() => world.dispose());

const look = (env: Record<string, string>) => certificates.run({ host: world.next({ env }).host } as Context);
const ours = () => look({ NODE_EXTRA_CA_CERTS: path });
const certificate = rootCertificates[0] ?? "";

test("of one's own are counted, where Node takes them", async () => {
  writeFileSync(path, `# ours\n${rootCertificates.slice(0, 2).join("\n")}\n`);
  const counted = { verdict: "ok", says: `Node's own certificate authorities, and 2 from ${path}` };
  expect(await ours()).toEqual(counted);
  expect(await look({ NODE_EXTRA_CA_CERTS: path, SSL_CERT_FILE: "x" })).toEqual(counted);
  writeFileSync(path, certificate.replaceAll("CERTIFICATE", "X509 CERTIFICATE"));
  expect(await ours()).toMatchObject({ verdict: "ok", says: expect.stringContaining("and 1 from") as string });
});

test("a file that gives none is a failure, with the remedy", async () => {
  const remedy = {
    verdict: "failed",
    hint: "set NODE_EXTRA_CA_CERTS to the PEM file of your organisation's certificate authority",
  };
  expect(await ours()).toEqual({ ...remedy, says: `NODE_EXTRA_CA_CERTS names a file that isn't there: ${path}` });
  writeFileSync(path, "hello");
  expect(await ours()).toEqual({ ...remedy, says: `no certificate in ${path} (NODE_EXTRA_CA_CERTS)` });
  const unreadable = { ...remedy, says: `Node can't read certificate 1 in ${path} (NODE_EXTRA_CA_CERTS)` };
  writeFileSync(path, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
  expect(await ours()).toEqual(unreadable);
  // Node passes over OpenSSL's own form, which says besides whom to trust for what.
  writeFileSync(path, certificate.replaceAll("CERTIFICATE", "TRUSTED CERTIFICATE"));
  expect(await ours()).toEqual(unreadable);
  const folder = await look({ NODE_EXTRA_CA_CERTS: world.folder });
  expect(folder).toEqual({ ...remedy, says: `can't read ${world.folder}: it is a folder` });
});

test("a file that OpenSSL's variable names leads to Node's, where it is one that Node takes", async () => {
  path = join(world.folder, "a ca.pem");
  const says = "Node's own certificate authorities, without those of SSL_CERT_FILE, which Node doesn't read";
  const hint = expect.stringMatching(/^set NODE_EXTRA_CA_CERTS to/u) as string;
  expect(await look({ SSL_CERT_FILE: path })).toEqual({ verdict: "warning", says, hint });
  writeFileSync(path, certificate);
  expect(await look({ SSL_CERT_FILE: path })).toEqual({
    verdict: "warning",
    says,
    hint: `export NODE_EXTRA_CA_CERTS="${path}"`,
  });
});

test("OpenSSL's are looked at where they are asked for, in each form that it takes", async () => {
  const theirs = () => look({ SSL_CERT_FILE: path, NODE_OPTIONS: "--use-openssl-ca" });
  expect(await theirs()).toMatchObject({ verdict: "failed", says: `SSL_CERT_FILE names a file that isn't there: ${path}` });
  for (const text of [certificate, certificate.replaceAll("CERTIFICATE", "TRUSTED CERTIFICATE")]) {
    writeFileSync(path, text);
    expect(await theirs()).toEqual({
      verdict: "ok",
      says: "OpenSSL's certificate authorities, those of SSL_CERT_FILE among them",
    });
  }
});

test("the system's are told of, and that none is checked is a failure", async () => {
  expect((await look({ NODE_OPTIONS: "--use-system-ca" })).says).toContain("and the system's");
  expect(await look({ NODE_TLS_REJECT_UNAUTHORIZED: "0" })).toMatchObject({
    verdict: "failed",
    says: expect.stringContaining("none is checked") as string,
  });
});
