import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeCertificates } from "../support/certificates.ts";
import { describeWith } from "../support/programs.ts";
import { serve } from "../support/http-server.ts";
import { bundleAsker, makeProxy } from "../support/proxy.ts";

describeWith(["openssl"], "TLS and proxies", () => {
  let folder: string;
  let tls: { key: Buffer; cert: Buffer };
  let bundle: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "ferry-tls-"));
    makeCertificates(folder);
    tls = { key: readFileSync(join(folder, "host.key")), cert: readFileSync(join(folder, "host.pem")) };
    bundle = join(folder, "ask.mjs");
    await bundleAsker(bundle);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Runs a request in a process of its own, since Node reads NODE_EXTRA_CA_CERTS only at its start. */
  async function ask(url: string, env: Record<string, string>): Promise<Record<string, unknown>> {
    const { stdout } = await promisify(execFile)(process.execPath, [bundle, url], { env });
    return JSON.parse(stdout) as Record<string, unknown>;
  }
  const secure = () =>
    serve(https.createServer(tls, (incoming, outgoing) => outgoing.end(`secure ${String(incoming.headers["x-api-key"])}`)));
  const byName = (host: string) => `https://ferry.test:${host.split(":")[1] ?? ""}/`;

  test("a private CA is trusted by NODE_EXTRA_CA_CERTS, and without it the error says so", async () => {
    const url = `https://${await secure()}/`;
    expect(await ask(url, {})).toMatchObject({
      kind: "unavailable",
      sent: false,
      hint: expect.stringContaining("NODE_EXTRA_CA_CERTS") as string,
    });
    expect(await ask(url, { NODE_EXTRA_CA_CERTS: join(folder, "ca.pem") })).toEqual({ status: 200, body: "secure key" });
  });

  test.each(["https_proxy", "HTTPS_PROXY"])("https goes through a tunnel of %s, trusted the same way", async (name) => {
    const proxy = await makeProxy(await secure());
    const url = byName(proxy.target);
    const env = { [name]: `http://user:pass@${proxy.host}`, NODE_EXTRA_CA_CERTS: join(folder, "ca.pem") };
    expect(await ask(url, env)).toEqual({ status: 200, body: "secure key" });
    expect(proxy.asked).toEqual([{ connect: new URL(url).host, authorization: `Basic ${btoa("user:pass")}` }]);
    expect(await ask(url, { [name]: `http://${proxy.host}` })).toMatchObject({
      kind: "unavailable",
      sent: false,
      hint: expect.stringContaining("NODE_EXTRA_CA_CERTS") as string,
    });
  });

  test("a proxy that refuses, and one that isn't there: not sent", async () => {
    const proxy = await makeProxy(await secure(), 403);
    expect(await ask("https://ferry.test/", { https_proxy: `http://${proxy.host}` })).toMatchObject({
      kind: "unavailable",
      sent: false,
      message: expect.stringContaining("the proxy refuses") as string,
    });
    expect(await ask("https://ferry.test/", { https_proxy: "http://127.0.0.1:1" })).toMatchObject({
      kind: "unavailable",
      sent: false,
      code: "ECONNREFUSED",
    });
  });

  test("neither NO_PROXY's hosts nor loopback go through it", async () => {
    const proxy = await makeProxy(await secure());
    const env = {
      https_proxy: `http://${proxy.host}`,
      http_proxy: `http://${proxy.host}`,
      no_proxy: "ferry.test",
      NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"),
    };
    expect(await ask(byName(proxy.target), env)).toMatchObject({
      kind: "unavailable",
      code: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/) as string,
    });
    expect(await ask(`https://${proxy.target}/`, env)).toEqual({ status: 200, body: "secure key" });
    expect(await ask(`http://${await serve(http.createServer((_, outgoing) => outgoing.end()))}/`, env)).toMatchObject({
      status: 200,
    });
    expect(proxy.asked).toEqual([]);
  });
});
