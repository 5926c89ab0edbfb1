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
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [bundle, url], { env });
    return { ...(JSON.parse(stdout) as Record<string, unknown>), ...(stderr !== "" && { stderr }) };
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

  const from = (message: string, hint: RegExp) => ({
    kind: "unavailable",
    message: expect.stringContaining(message) as string,
    hint: expect.stringMatching(hint) as string,
  });

  test.each([
    [407, "", "wants a user and a password (407)", /HTTPS_PROXY: http:\/\/USER:PASSWORD@127/u],
    [407, "me:secret@", "refuses its user and password (407)", /HTTPS_PROXY/u],
    [403, "", "doesn't allow ferry.test:443 (403)", /NO_PROXY/u],
    [502, "", "can't reach ferry.test:443 (502)", /NO_PROXY/u],
    [404, "", "makes no connection to ferry.test:443 (404)", /NO_PROXY/u],
  ])("a proxy that answers with %i %s is named, and what helps", async (status, login, says, hint) => {
    const proxy = await makeProxy("127.0.0.1:1", status);
    const told = await ask("https://ferry.test/", { HTTPS_PROXY: `http://${login}${proxy.host}` });
    expect(told).toMatchObject(from(`the proxy ${proxy.host} (HTTPS_PROXY) ${says}`, hint));
    expect(JSON.stringify(told)).not.toContain("secret");
  });

  test.each([
    ["http://127.0.0.1:1", "the proxy 127.0.0.1:1 (https_proxy): connection refused (ECONNREFUSED)"],
    ["http://proxy.invalid:3128", "the proxy proxy.invalid:3128 (https_proxy): "],
  ])("a proxy that isn't there, %s, is told as the proxy's fault", async (https_proxy, says) => {
    const told = await ask("https://ferry.test/", { https_proxy });
    expect(told).toMatchObject({ ...from(says, /^check https_proxy/u), sent: false });
  });

  test("a proxy of SOCKS is refused in a line, and nothing else is printed", async () => {
    const { stderr, ...told } = await ask("https://ferry.test/", { https_proxy: "socks5://me:secret@127.0.0.1:1" });
    expect(told).toMatchObject({ kind: "usage", message: "https_proxy names a SOCKS proxy, which ferry doesn't speak to" });
    expect(stderr).toBeUndefined();
  });

  test("a proxy with TLS of its own, and one without where it is expected", async () => {
    const proxy = await makeProxy(await secure(), 200, tls);
    const env = { NODE_EXTRA_CA_CERTS: join(folder, "ca.pem") };
    const url = byName(proxy.target);
    expect(await ask(url, { ...env, https_proxy: `https://${proxy.host}` })).toEqual({ status: 200, body: "secure key" });
    const plain = await makeProxy(proxy.target);
    expect(await ask(url, { ...env, https_proxy: `https://${plain.host}` })).toMatchObject(
      from(`the proxy ${plain.host} (https_proxy): no TLS is spoken there`, /^check https_proxy/u),
    );
  });

  test("a certificate that isn't believed is the service's, also behind a proxy", async () => {
    const proxy = await makeProxy(await secure());
    expect(await ask(byName(proxy.target), { https_proxy: `http://${proxy.host}` })).toMatchObject(
      from(`through the proxy ${proxy.host} (https_proxy): its certificate is not trusted`, /NODE_EXTRA_CA_CERTS/u),
    );
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
