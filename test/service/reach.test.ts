import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { type IncomingMessage, request as plain } from "node:http";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { namesOf } from "../../src/service/reach/names.ts";
import { planReach, type ReachRequest } from "../../src/service/reach/reach.ts";
import { makeCertificates } from "../support/certificates.ts";
import { describeWith } from "../support/programs.ts";
import { makeServicePlace, type ServicePlace } from "../support/service-host.ts";

let place: ServicePlace;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ferry-reach-"));
  place = await makeServicePlace();
});
afterAll(async () => {
  await place.leave();
  rmSync(folder, { recursive: true });
});

const plan = (asked: Partial<ReachRequest>) => planReach({ address: "127.0.0.1", port: 0, ...asked }, place.host);
const at = (name: string): string => join(folder, name);

describe("without TLS", () => {
  test.each(["0.0.0.0", "192.168.1.1", "::", "127.evil.example", "localhost.evil.example"])(
    "nothing listens on %s: no key goes over a network in the clear",
    async (address) => {
      await expect(plan({ address })).rejects.toMatchObject({
        kind: "usage",
        message: `without TLS the service listens on loopback addresses only, not on ${address}`,
        hint: expect.stringMatching(/--tls-cert FILE --tls-key FILE.*--behind-proxy URL/u) as string,
      });
    },
  );

  test.each(["127.0.0.1", "127.3.2.1", "localhost", "::1"])("%s is this machine", async (address) => {
    expect(await plan({ address })).toEqual({ address, port: 0 });
  });

  test("it goes by the names of this machine, with its port", () => {
    const names = namesOf({ address: "127.0.0.1", port: 80 }, "http://127.0.0.1:8080");
    expect(["localhost:8080", "127.0.0.1:8080", "[::1]:8080"].map(names.originOf)).toEqual([
      "http://localhost:8080",
      "http://127.0.0.1:8080",
      "http://[::1]:8080",
    ]);
    expect(["localhost", "127.0.0.1:80", "evil.example:8080", ""].map(names.originOf)).toEqual(Array(4).fill(undefined));
  });
});

describe("behind a proxy", () => {
  test("it goes by the proxy's name alone, on every address", async () => {
    const reach = await plan({ address: "0.0.0.0", behindProxy: "https://Agents.example.com/" });
    const names = namesOf(reach, "http://0.0.0.0:8080");
    expect(names.url).toBe("https://agents.example.com");
    expect(names.originOf("agents.example.com")).toBe("https://agents.example.com");
    for (const same of ["AGENTS.example.com", "agents.example.com:443"]) expect(names.originOf(same)).toBe(names.url);
    const others = [
      "127.0.0.1:8080",
      "agents.example.com:8080",
      "evil.example",
      "a@agents.example.com",
      "agents.example.com/x",
      "",
    ];
    expect(others.map(names.originOf)).toEqual(Array(others.length).fill(undefined));
  });

  test.each([
    "http://a.example",
    "a.example",
    "https://a.example/ferry",
    "https://a.example/?x",
    "https://u:p@a.example",
    "ftp://a",
  ])("%s is no address of one", async (behindProxy) => {
    await expect(plan({ behindProxy })).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringContaining("--behind-proxy") as string,
    });
  });

  test("what it forwards decides nothing", async () => {
    const service = await place.run({ tcp: await plan({ behindProxy: "https://agents.example.com" }) });
    expect(service.address).toBe("https://agents.example.com");
    const { bound } = listening();
    const ask = async (host: string, forwarded: string) => {
      const headers = { host, "x-forwarded-host": forwarded, "x-forwarded-proto": "https", forwarded: `host=${forwarded}` };
      const [reply] = (await once(plain(`${bound}/.well-known/oauth-authorization-server`, { headers }).end(), "response")) as [
        IncomingMessage,
      ];
      return [reply.statusCode, await text(reply)] as const;
    };
    const [status, said] = await ask("agents.example.com", "evil.example");
    expect([status, (JSON.parse(said) as { issuer: string }).issuer]).toEqual([200, "https://agents.example.com"]);
    expect((await ask("evil.example", "agents.example.com"))[0]).toBe(421);
    await service.stop();
  });
});

describeWith(["openssl"], "with a certificate", () => {
  const tls = { tlsCert: "", tlsKey: "" };
  beforeAll(() => {
    makeCertificates(folder);
    Object.assign(tls, { tlsCert: at("host.pem"), tlsKey: at("host.key") });
  });

  const make = (name: string, subject: string, ...more: string[]) => {
    const args = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", subject];
    execFileSync("openssl", [...args, "-keyout", at(`${name}.key`), "-out", at(`${name}.pem`), ...more], { stdio: "pipe" });
    return { tlsCert: at(`${name}.pem`), tlsKey: at(`${name}.key`) };
  };

  test("it is called what the certificate says, on the port that it got, and by nothing else", async () => {
    const service = await place.run({ tcp: await plan({ ...tls }) });
    const { bound } = listening();
    const port = new URL(bound).port;
    expect([service.address, bound]).toEqual([`https://127.0.0.1:${port}`, `https://127.0.0.1:${port}`]);
    const ask = async (host: string) => {
      const sent = request(`${bound}/.well-known/oauth-authorization-server`, {
        ca: readFileSync(at("ca.pem")),
        servername: "ferry.test",
        headers: { host },
      }).end();
      const [reply] = (await once(sent, "response")) as [IncomingMessage];
      return [reply.statusCode, await text(reply)] as const;
    };
    const [status, metadata] = await ask(`ferry.test:${port}`);
    expect([status, (JSON.parse(metadata) as { issuer: string }).issuer]).toEqual([200, `https://ferry.test:${port}`]);
    for (const host of ["ferry.test", `evil.example:${port}`, `localhost:${port}`]) expect((await ask(host))[0]).toBe(421);
    await service.stop();
  });

  test("nothing older than TLS 1.2 is spoken", async () => {
    const service = await place.run({ tcp: await plan({ ...tls }) });
    const port = Number(new URL(listening().bound).port);
    const old = connect({
      host: "127.0.0.1",
      port,
      maxVersion: "TLSv1.1",
      minVersion: "TLSv1",
      ciphers: "ALL:@SECLEVEL=0",
      rejectUnauthorized: false,
    });
    expect(((await once(old, "error")) as [NodeJS.ErrnoException])[0].code).toMatch(/PROTOCOL|ALERT/u);
    await service.stop();
  });

  test("an address that it is for is what it goes by, else the first name in it", async () => {
    expect((await plan({ ...tls, address: "0.0.0.0" })).tls?.hostname).toBe("ferry.test");
    const wild = make("wild", "/CN=x", "-days", "2", "-addext", "subjectAltName=DNS:*.example.com,IP:2001:db8::1");
    expect((await plan({ ...wild, address: "0.0.0.0" })).tls?.hostname).toBe("[2001:db8::1]");
    expect((await plan({ ...wild, address: "agents.example.com" })).tls?.hostname).toBe("agents.example.com");
  });

  test("a key behind a link is as good as what it leads to", async () => {
    symlinkSync(at("host.key"), at("link.key"));
    expect((await plan({ ...tls, tlsKey: at("link.key") })).tls?.key).toContain("PRIVATE KEY");
  });

  test.each<[string, string, () => Partial<ReachRequest> | Promise<Partial<ReachRequest>>]>([
    ["usage", "--tls-cert alone is not enough", () => ({ tlsCert: tls.tlsCert })],
    ["usage", "--tls-key alone is not enough", () => ({ tlsKey: tls.tlsKey })],
    ["usage", "--tls-cert and --behind-proxy can't be used together", () => ({ ...tls, behindProxy: "https://a.example" })],
    ["usage", "--tls-cert: there is no file /nowhere.pem", () => ({ ...tls, tlsCert: "/nowhere.pem" })],
    ["usage", "--tls-key: there is no file /nowhere.key", () => ({ ...tls, tlsKey: "/nowhere.key" })],
    ["usage", "host.key is no certificate in PEM", () => ({ ...tls, tlsCert: tls.tlsKey })],
    ["usage", "ca.key is not the key of the certificate", () => ({ ...tls, tlsKey: at("ca.key") })],
    ["usage", "nonsense.key is no private key in PEM", () => ({ ...tls, tlsKey: written("nonsense.key", "nonsense") })],
    ["usage", "is encrypted: ferry has no passphrase for it", () => ({ ...tls, tlsKey: sealedKey() })],
    ["usage", "names no host (its subjectAltName: none)", () => make("nameless", "/CN=ferry.test", "-days", "2")],
    [
      "auth",
      "--tls-key: others can open",
      () => ({ ...tls, tlsKey: written("open.key", readFileSync(tls.tlsKey, "utf8"), 0o644) }),
    ],
  ])("%s: %s", async (kind, message, asked) => {
    await expect(plan(await asked())).rejects.toMatchObject({ kind, message: expect.stringContaining(message) as string });
  });

  test.each<[string, number]>([
    ["expired on", 3 * 86_400_000],
    ["is not valid before", -86_400_000],
  ])("one that %s a day is refused", async (message, later) => {
    const clock = { ...place.host.clock, now: () => Date.now() + later };
    const refused = planReach({ address: "127.0.0.1", port: 0, ...tls }, { ...place.host, clock });
    await expect(refused).rejects.toMatchObject({ kind: "usage", message: expect.stringContaining(message) as string });
  });

  function written(name: string, content: string, mode = 0o600): string {
    writeFileSync(at(name), content);
    chmodSync(at(name), mode);
    return at(name);
  }

  function sealedKey(): string {
    const args = ["pkcs8", "-topk8", "-in", tls.tlsKey, "-out", at("sealed.key"), "-passout", "pass:secret"];
    execFileSync("openssl", args, { stdio: "pipe" });
    chmodSync(at("sealed.key"), 0o600);
    return at("sealed.key");
  }
});

/** What the newest service said of where it listens. */
function listening(): { readonly bound: string } {
  const said = place.log
    .map((line) => JSON.parse(line) as Record<string, string>)
    .filter(({ message }) => message === "listening");
  return { bound: said.at(-1)?.["address"] ?? "" };
}
