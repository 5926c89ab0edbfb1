import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ownHolder } from "../../src/auth/holder.ts";
import { FerryError, NoAnswerError } from "../../src/base/errors.ts";
import type { Files, Host, SendResponse } from "../../src/host/host.ts";
import { asDead } from "../support/dead.ts";
import { ferry } from "../support/ferry.ts";
import { type ForeignLogin, makeForeignLogin } from "../support/foreign-login.ts";
import { json, type LoginServer, text } from "../support/login-server.ts";
import type { World } from "../support/world.ts";

let scene: ForeignLogin;
let world: World;
let server: LoginServer;
beforeEach(() => {
  scene = makeForeignLogin();
  ({ world, server } = scene);
});
afterEach(() => world.dispose());

const config = () => JSON.parse(readFileSync(join(world.folder, "config", "config.json"), "utf8")) as object;
const inFile = { FERRY_CREDENTIAL_STORE: "file" };

test.each([[], ["--device"]])(
  "a kill with the key on its way is told by what comes next: login %s",
  async (...argv: string[]) => {
    server.metadata = { ...server.metadata, device_authorization_endpoint: `${server.origin}/device` };
    const page = `${server.origin}/go`;
    server.answers.set("/device", async () =>
      json(200, { device_code: "dc", user_code: "BCDF-GHJK", verification_uri: page, expires_in: 600, interval: 5 }),
    );
    if (argv.length > 0)
      server.answers.set("/token", async () => {
        server.given.push("key-1");
        return json(200, { access_token: "key-1", token_type: "bearer" });
      });
    let answered = (): void => undefined;
    const reached = new Promise<void>((resolve) => (answered = resolve));
    const dying = ({ network, ...host }: Host): Host => ({
      ...asDead(host as Host),
      network: {
        ...network,
        async send(request) {
          const answer = await network.send(request);
          if (server.given.length === 0) return answer;
          answered();
          return new Promise(() => undefined);
        },
      },
    });
    void scene.login(scene.approve, { env: inFile, argv, change: dying });
    await reached;
    const { code, stderr } = await ferry(world.next({ env: inFile }), "logout");
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining("where one was made and not ended by then, is lost and still valid"),
    ]);
  },
);

test.each(["next login", "logout"])(
  "without a keychain, a kill while nobody has approved yet is told once by the %s, and of no keychain",
  async (next) => {
    world.keychain.trouble = "unavailable";
    let asked = (): void => undefined;
    const reached = new Promise<void>((resolve) => (asked = resolve));
    const second = (): Promise<SendResponse> => {
      asked();
      return new Promise(() => undefined);
    };
    void logIn("device", [refusal("authorization_pending"), second], asDead, {});
    await reached;
    expect(config()).toMatchObject({ pending: [{ account: "", store: "file", minted: true }] });
    server.answers.delete("/token");
    const told = next === "logout" ? await ferry(world.next(), "logout") : await scene.login();
    expect([told.code, told.stderr]).toEqual([0, expect.stringContaining("is lost and still valid: revoke it in the portal")]);
    expect(told.stderr).not.toMatch(/may still be in|--forget/u);
    expect(config()).not.toHaveProperty("pending");
    const after = await ferry(world.next(), "logout");
    expect(after.stderr).not.toMatch(/broken off|may still be in/u);
  },
);

test("a login that was given up has nothing to tell", async () => {
  server.answers.set("/token", async () => json(400, { error: "access_denied" }));
  expect((await scene.login(scene.approve, { env: inFile })).code).not.toBe(0);
  expect(config()).not.toHaveProperty("pending");
});

/** A login by browser, or by device with no time between its questions, whose token calls get these answers in turn. */
function logIn(
  way: "browser" | "device",
  answers: (() => SendResponse | Promise<SendResponse>)[],
  change = (host: Host) => host,
  env: Record<string, string> = inFile,
) {
  server.metadata = { ...server.metadata, device_authorization_endpoint: `${server.origin}/device` };
  const page = `${server.origin}/go`;
  server.answers.set("/device", async () =>
    json(200, { device_code: "dc", user_code: "BCDF-GHJK", verification_uri: page, expires_in: 600, interval: 5 }),
  );
  server.answers.set("/token", async () => (answers.shift() ?? (() => json(400, { error: "access_denied" })))());
  const sleep: Host["clock"]["sleep"] = async (ms, signal) => (ms > 60_000 ? world.host.clock.sleep(ms, signal) : undefined);
  return scene.login(scene.approve, {
    env,
    argv: way === "device" ? ["--device"] : [],
    change: (host) => change({ ...host, clock: { ...host.clock, sleep } }),
  });
}

const told = "a key may have been made all the same: if the portal at agents.example.com lists one, revoke it there\n";
const cut = (): never => {
  throw new NoAnswerError("agents.example.com: the connection was cut", { sent: true, code: "ECONNRESET" });
};
const unreached = (): never => {
  throw new NoAnswerError("agents.example.com: connection refused", { sent: false, code: "ECONNREFUSED" });
};
const refusal = (error: string) => () => json(400, { error });
const inJson = { "content-type": "application/json" };
const bearer = '{"access_token":"key-1","token_type":"bearer"}';

describe("a key whose answer is of no use is told, or ended where it is known", () => {
  type Row = [what: string, answers: (() => SendResponse)[]];

  describe.each(["browser", "device"] as const)("by %s", (way) => {
    test.each<Row>([
      ["a type that keys are not sent as", [() => json(200, { access_token: "key-1", token_type: "DPoP" })]],
      ["no type", [() => json(200, { access_token: "key-1" })]],
      ["another content type", [() => text(200, '{"access_token":"key-1"}', { "content-type": "text/plain" })]],
      ["a status that is none of it", [() => json(201, { access_token: "key-1", token_type: "bearer" })]],
    ])("ended: %s", async (_, answers) => {
      const { code, stderr } = await logIn(way, answers);
      expect(code).not.toBe(0);
      expect(server.revoked).toEqual(["key-1"]);
      expect(stderr).not.toMatch(/all the same|key-1/u);
      expect(config()).not.toHaveProperty("pending");
    });

    test("where it can't be ended, that is told", async () => {
      server.metadata = { ...server.metadata, revocation_endpoint: undefined };
      const { stderr } = await logIn(way, [() => json(200, { access_token: "key-1" })]);
      expect(stderr).toContain(
        "a key that was made for this login is still valid (agents.example.com lets no login revoke its own key)",
      );
    });

    test.each<Row>([
      ["a byte behind the JSON", [() => text(200, `${bearer} x`, inJson)]],
      ["half of it", [() => text(200, bearer.slice(0, 20), inJson)]],
      ["a web page", [() => text(200, "<html>", { "content-type": "text/html" })]],
      ["no key", [() => json(200, { token_type: "bearer" })]],
    ])("told: %s", async (_, answers) => {
      const { code, stderr } = await logIn(way, answers);
      expect(code).not.toBe(0);
      expect(stderr).toContain(told);
      expect(config()).not.toHaveProperty("pending");
    });

    test.each<Row>([
      ["access_denied", [refusal("access_denied")]],
      ["invalid_client", [refusal("invalid_client")]],
      ["a challenge", [() => text(401, "", { "www-authenticate": "Basic" })]],
      ["404", [() => json(404, {})]],
      ["a redirect", [() => text(307, "", { location: "https://evil.example/token" })]],
      ["421", [() => json(421, { error: "another host" })]],
      ["a proxy's page with 400", [() => text(400, "<html>", { "content-type": "text/html" })]],
      ["a proxy's page with 403", [() => text(403, "<html>", { "content-type": "text/html" })]],
    ])("not told where it can't be: %s", async (_, answers) => {
      const { code, stderr } = await logIn(way, answers);
      expect([code === 0, stderr]).toEqual([false, expect.not.stringContaining("all the same")]);
    });

    test("Ctrl-C with the answer on its way", async () => {
      const controller = new AbortController();
      const hangs = (): Promise<never> => {
        controller.abort(new FerryError("interrupted", "interrupted"));
        return new Promise((_, reject) => reject(controller.signal.reason as Error));
      };
      const { code, stderr } = await logIn(way, [hangs], (host) => ({ ...host, interrupt: controller.signal }));
      expect([code, stderr.endsWith(`${told}ferry: interrupted\n`)]).toEqual([130, true]);
      expect(config()).not.toHaveProperty("pending");
    });

    test("Ctrl-C while another ferry writes the config: nothing stays noted", async () => {
      const controller = new AbortController();
      const lock = join(world.folder, "config", "config.json.lock");
      const change = (host: Host): Host => ({
        ...host,
        interrupt: controller.signal,
        clock: {
          ...host.clock,
          async sleep(ms, signal) {
            signal?.throwIfAborted();
            if (controller.signal.aborted) rmSync(lock, { force: true });
            return host.clock.sleep(ms, signal);
          },
        },
      });
      const held = async (): Promise<never> => {
        writeFileSync(lock, JSON.stringify({ ...(await ownHolder(world.host)), nonce: "another" }));
        controller.abort(new FerryError("interrupted", "interrupted"));
        throw controller.signal.reason;
      };
      const { code, stderr } = await logIn(way, [held], change);
      expect([code, stderr]).toEqual([130, expect.not.stringContaining("stays noted")]);
      expect(config()).not.toHaveProperty("pending");
    });
  });

  test("by browser: a connection that is cut", async () => {
    expect((await logIn("browser", [cut])).stderr).toContain(`${told}ferry: agents.example.com: the connection was cut\n`);
    expect((await logIn("browser", [unreached])).stderr).not.toContain("all the same");
  });

  test.each<Row>([
    ["invalid_grant", [cut, refusal("invalid_grant")]],
    ["expired_token", [refusal("authorization_pending"), () => text(503, ""), refusal("expired_token")]],
  ])("by device: one question got no answer, and the next one %s", async (_, answers) => {
    const { code, stderr } = await logIn("device", answers);
    expect([code, stderr]).toEqual([4, expect.stringContaining(told)]);
  });

  test("by device: one question got no answer, and the next one a key of its own", async () => {
    server.given.push("key-2");
    const { code, stderr } = await logIn("device", [cut, () => json(200, { access_token: "key-2", token_type: "bearer" })]);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(
        "a lost answer may have brought a key, too: if the portal at agents.example.com lists two of this login, revoke the older\n",
      ),
    ]);
    expect(config()).not.toHaveProperty("pending");
  });

  test.each<Row>([
    ["nobody had approved it by the next one", [cut, refusal("authorization_pending"), refusal("expired_token")]],
    ["it was denied", [cut, refusal("access_denied")]],
    ["it never got there", [unreached, refusal("invalid_grant")]],
    ["it was too early", [() => json(429, {}), refusal("invalid_grant")]],
  ])("by device: not told where %s", async (_, answers) => {
    const { code, stderr } = await logIn("device", answers);
    expect([code, stderr]).toEqual([4, expect.not.stringContaining("all the same")]);
  });
});

test("on a full disk the key is ended, and neither this login nor the next one says of it what isn't so", async () => {
  let full = false;
  const filling = (files: Files): Files => ({
    ...files,
    async write(...given) {
      if (full) throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
      return files.write(...given);
    },
  });
  const minted = (): SendResponse => {
    full = true;
    server.given.push("key-1");
    return json(200, { access_token: "key-1", token_type: "bearer" });
  };
  const first = await logIn("device", [minted], (host) => asDead({ ...host, files: filling(host.files) }));
  expect(first.code).toBe(1);
  expect(server.revoked).toEqual(["key-1"]);
  expect(first.stderr).toMatch(/this login stays noted as one that was broken off \(.*no space left on device.*\)/u);
  expect(first.stderr).not.toContain("may still be in");
  server.answers.delete("/token");
  const next = await scene.login(scene.approve, { env: inFile });
  expect([next.code, next.stderr]).toEqual([0, expect.stringContaining("where one was made and not ended by then, is lost")]);
  expect(config()).not.toHaveProperty("pending");
});
