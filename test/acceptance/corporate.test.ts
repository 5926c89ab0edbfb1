import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { EventEmitter, once } from "node:events";
import http from "node:http";
import https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, test } from "vitest";
import { type Binary, collect, makeBinary } from "../support/binary.ts";
import { makeCertificates } from "../support/certificates.ts";
import { serve } from "../support/http-server.ts";
import { listenerOf, type LoginServer, makeLoginServer } from "../support/login-server.ts";
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
    let made = makeLoginServer();
    const listener = https.createServer(
      tls,
      listenerOf(() => made),
    );
    const target = await serve(listener);
    made = makeLoginServer(`https://ferry.test:${target.split(":")[1] ?? ""}`);
    return { server: made, proxy: await makeProxy(target) };
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

describe("a proxy that accepts and never answers", () => {
  test("SIGTERM and Ctrl-C end what waits for it, at once, with a line", async () => {
    const asked = new EventEmitter();
    const host = await serve(createServer((socket) => void socket.once("data", () => asked.emit("asked"))));
    const env = { HTTPS_PROXY: `http://${host}`, FERRY_API_KEY: "key" };
    for (const [signal, code, says] of [
      ["SIGTERM", 143, "ferry: ended by SIGTERM\n"],
      ["SIGINT", 130, "ferry: interrupted\n"],
    ] as const) {
      const heard = once(asked, "asked");
      const child = place.start(["whoami", "--host", "https://example.com"], { env });
      const result = collect(child);
      await heard;
      child.kill(signal);
      expect(await result).toMatchObject({ code, stderr: says });
    }
  });
});

describe("a D-Bus that accepts and never answers", () => {
  test.skipIf(process.platform !== "linux")(
    "no command takes over 4 s for it, a login neither; none hangs at its end, and none says logged out",
    async () => {
      const bus = createServer(() => undefined);
      const path = join(place.folder, "bus");
      await new Promise<void>((resolve) => bus.listen(path, resolve));
      let login = makeLoginServer();
      login = makeLoginServer(`http://${await serve(http.createServer(listenerOf(() => login)))}`);
      login.given.push("key-2");
      const { origin } = login;
      const entry = { url: origin, account: "ada@example.com", store: "keychain", minted: true };
      const config = join(place.folder, "config", "config.json");
      writeFileSync(config, JSON.stringify({ version: 1, hosts: [entry] }));
      const env = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}`, FERRY_CREDENTIAL_STORE: "" };
      const commands = [["whoami"], ["auth", "status"], ["logout"], ["login", "--host", origin, "--with-token"]];
      const run = async (argv: readonly string[]) => {
        const started = performance.now();
        const result = await place.run(argv, { env, ...(argv[0] === "login" && { input: "key-2" }) });
        return { ...result, took: performance.now() - started };
      };
      // What a command takes without it, on this machine as busy as it is.
      const { took: usual } = await run(["--version"]);
      for (const { code, stderr, took } of await Promise.all(commands.map(run))) {
        expect({ code, stderr }).toEqual({
          code: 4,
          stderr: expect.stringContaining("the keychain did not answer within 3 s") as string,
        });
        expect(stderr).not.toContain("not logged in");
        expect(took).toBeLessThan(4000 + commands.length * 2 * usual);
      }
      expect(readFileSync(config, "utf8")).toContain("ada@example.com");
      expect(login.revoked).toEqual([]);
      bus.close();
    },
  );
});
