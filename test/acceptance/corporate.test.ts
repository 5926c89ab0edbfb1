import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, test } from "vitest";
import { type Binary, makeBinary } from "../support/binary.ts";
import { makeCertificates } from "../support/certificates.ts";
import { serve } from "../support/http-server.ts";
import { type LoginServer, makeLoginServer } from "../support/login-server.ts";
import { describeWith } from "../support/programs.ts";
import { makeProxy } from "../support/proxy.ts";
import { startOnTerminal } from "../support/pty.ts";

const ferryPath = fileURLToPath(new URL("../../bin/ferry.js", import.meta.url));

let place: Binary;
beforeEach(() => {
  place = makeBinary();
});
afterEach(() => place.dispose());

describeWith(["openssl", "script"], "behind a proxy that needs CONNECT, with a private certificate authority", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ferry-tls-"));
    makeCertificates(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** The login server over TLS, known by a name that only the proxy can find. */
  async function start(): Promise<{ server: LoginServer; proxy: Awaited<ReturnType<typeof makeProxy>> }> {
    const tls = { key: readFileSync(join(folder, "host.key")), cert: readFileSync(join(folder, "host.pem")) };
    const made: { server?: LoginServer } = {};
    const listener = https.createServer(tls, (incoming, outgoing) => {
      void (async () => {
        const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
        const { method = "", url = "" } = incoming;
        const answer = await made.server?.send({ method, url: made.server.origin + url, headers, body: await text(incoming) });
        outgoing.writeHead(answer?.status ?? 500, answer?.headers);
        for await (const chunk of answer?.body ?? []) outgoing.write(chunk);
        outgoing.end();
      })();
    });
    const target = await serve(listener);
    made.server = makeLoginServer(`https://ferry.test:${target.split(":")[1] ?? ""}`);
    return { server: made.server, proxy: await makeProxy(target) };
  }

  test("every leg of a login passes it: metadata, the token call, the check of the key, and logout's revocation", async () => {
    const { server, proxy } = await start();
    const env = { HTTPS_PROXY: `http://${proxy.host}`, NODE_EXTRA_CA_CERTS: join(folder, "ca.pem") };
    const terminal = startOnTerminal(place, [process.execPath, ferryPath, "login", "--host", server.origin], env);
    const [, url = ""] = await terminal.see(/^ {2}(https:\S+)\r?$/mu);
    await fetch(server.approve(url));
    expect(await terminal.ended).toBe(0);
    expect(await place.run(["logout"], { env })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("is revoked") as string,
    });
    expect(server.revoked).toEqual(server.given);
    expect(new Set(proxy.asked.map(({ connect }) => connect))).toEqual(new Set([new URL(server.origin).host]));
  });

  test("without its certificate authority the first leg says what to set", async () => {
    const { server, proxy } = await start();
    const env = { HTTPS_PROXY: `http://${proxy.host}` };
    const { code, stderr } = await place.run(["login", "--host", server.origin, "--device"], { env });
    expect(code).toBe(6);
    expect(stderr).toContain("NODE_EXTRA_CA_CERTS");
  });
});

describe("a D-Bus that accepts and never answers", () => {
  test.skipIf(process.platform !== "linux")(
    "no command takes over 4 s for it, none hangs at its end, and none says logged out",
    async () => {
      const bus = createServer(() => undefined);
      const path = join(place.folder, "bus");
      await new Promise<void>((resolve) => bus.listen(path, resolve));
      const server = makeLoginServer();
      const entry = { url: server.origin, account: "ada@example.com", store: "keychain", minted: true };
      writeFileSync(join(place.folder, "config", "config.json"), JSON.stringify({ version: 1, hosts: [entry] }));
      const env = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}`, FERRY_CREDENTIAL_STORE: "" };
      const commands = [["whoami"], ["auth", "status"], ["logout"], ["session", "list"]];
      const started = performance.now();
      const results = await Promise.all(
        commands.map(async (argv) => ({ ...(await place.run(argv, { env })), took: performance.now() - started })),
      );
      bus.close();
      for (const { code, stderr, took } of results) {
        expect(code).toBe(4);
        expect(stderr).toContain("the keychain did not answer");
        expect(stderr).not.toContain("not logged in");
        expect(took).toBeLessThan(8000);
      }
      expect(readFileSync(join(place.folder, "config", "config.json"), "utf8")).toContain("ada@example.com");
    },
  );
});
