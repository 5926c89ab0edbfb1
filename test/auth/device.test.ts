import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NoAnswerError } from "../../src/base/errors.ts";
import type { Clock, Host } from "../../src/host/host.ts";
import { ferry } from "../support/ferry.ts";
import { type ForeignLogin, makeForeignLogin } from "../support/foreign-login.ts";
import { type LoginScene, makeLoginScene } from "../support/login.ts";
import { json, text, type LoginServer } from "../support/login-server.ts";
import { type World } from "../support/world.ts";

let scene: ForeignLogin;
let world: World;
let server: LoginServer;
beforeEach(() => {
  scene = makeForeignLogin();
  ({ world, server } = scene);
});
afterEach(() => world.dispose());

describe("--device", () => {
  const device = (answers: (() => ReturnType<typeof text>)[], change: Record<string, unknown> = {}) => {
    server.metadata = { ...server.metadata, device_authorization_endpoint: `${server.origin}/device` };
    const task = {
      device_code: "dc",
      user_code: "WDJB-MJHT\u001b[2J",
      verification_uri: `${server.origin}/activate`,
      expires_in: 600,
      interval: 5,
    };
    server.answers.set("/device", async () => json(200, { ...task, ...change }));
    server.answers.set("/token", async () => (answers.shift() ?? (() => json(400, { error: "expired_token" })))());
    const slept: number[] = [];
    // Longer than between two questions is only the bound on an answer's length.
    const sleepLike =
      (real: Clock): Clock["sleep"] =>
      async (ms, signal) =>
        ms > 60_000 ? real.sleep(ms, signal) : void slept.push(ms);
    const run = scene.login(scene.approve, {
      argv: ["--device"],
      tty: false,
      change: (host) => ({ ...host, clock: { ...host.clock, sleep: sleepLike(host.clock) } }),
    });
    return run.then((result) => ({ ...result, slept }));
  };
  const pending = () => json(400, { error: "authorization_pending" });

  test("without a terminal too: shows the code and who asks, honours the interval and slow_down", async () => {
    const key = () => (server.given.push("device-key"), json(200, { access_token: "device-key", token_type: "bearer" }));
    const { code, stderr, slept } = await device([pending, () => json(400, { error: "slow_down" }), pending, key]);
    expect(code).toBe(0);
    expect(slept).toEqual([5000, 5000, 10_000, 10_000]);
    expect(stderr).toContain("\n  https://agents.example.com/activate\n");
    expect(stderr).toContain("The page must show the code WDJB-MJHT␛[2J and this computer, test. It waits for 10 minutes.\n");
  });

  const silent = () => {
    throw new NoAnswerError("agents.example.com sent nothing for 30 s", { sent: true, code: "ETIMEDOUT" });
  };
  const down = () => {
    throw new NoAnswerError("agents.example.com: connection refused (ECONNREFUSED)", { sent: false, code: "ECONNREFUSED" });
  };

  test("a service that fails now and then ends nothing, is told once each time, and asked as often as it wants", async () => {
    const { code, stderr, slept } = await device([
      () => text(503, ""),
      down,
      down,
      pending,
      () => json(400, { error: "access_denied" }),
    ]);
    expect(code).toBe(4);
    expect(slept).toEqual([5000, 5000, 5000, 5000, 5000]);
    expect(stderr.match(/it is asked again/gu)).toHaveLength(1);
  });

  test("one that is silent is asked less often, until it answers (RFC 8628, 3.5)", async () => {
    const { slept, stderr } = await device([silent, silent, pending, pending, () => json(400, { error: "access_denied" })]);
    expect(slept).toEqual([5000, 10_000, 20_000, 5000, 5000]);
    expect(stderr).toContain("agents.example.com sent nothing for 30 s; it is asked again\n");
  });

  test("nor does 429, in whatever shape it comes: it is left alone for longer", async () => {
    const busy = [
      () => text(429, ""),
      () => json(429, { error: "too many requests" }),
      () => json(429, { error: "x", message: "y" }),
    ];
    const { slept } = await device([...busy, pending, () => json(400, { error: "access_denied" })]);
    expect(slept).toEqual([5000, 10_000, 20_000, 40_000, 5000]);
  });

  test.each(["access_denied", "expired_token"])("but %s is what it says, under 429, too", async (error) => {
    const { code, stderr } = await device([pending, () => json(429, { error })]);
    expect([code, stderr.includes("asked again")]).toEqual([4, false]);
  });

  test("an interval of 0 is as good as none: once a second", async () => {
    const { code, slept } = await device([pending, () => json(400, { error: "access_denied" })], { interval: 0 });
    expect([code, slept]).toEqual([4, [1000, 1000]]);
  });

  test.each([
    ["access_denied", "the login was denied in the browser"],
    ["expired_token", "the code has expired"],
  ])("%s ends it", async (error, says) => {
    const { code, stderr } = await device([pending, () => json(400, { error })]);
    expect(code).toBe(4);
    expect(stderr).toContain(says);
  });

  test("an interval longer than the code lives is not waited for: its end is", async () => {
    const { code, stderr, slept } = await device([pending], { interval: 86_400, expires_in: 30 });
    expect(code).toBe(4);
    expect(stderr).toContain("It waits for 30 seconds.\n");
    expect(stderr).toContain("ferry: the code has expired\n  hint: run ferry login again\n");
    expect(slept[0]).toBeLessThan(30_002);
  });

  test("it is asked once a second at most, and no more than an hour is told", async () => {
    const { stderr, slept } = await device([pending, pending], { interval: 1e-9, expires_in: 1e308 });
    expect(slept).toEqual([1000, 1000, 1000]);
    expect(stderr).toContain("It waits for 60 minutes.\n");
  });

  test.each([0, 0.5, -1, "soon", null])(
    "a code that ends in %j seconds is refused, neither shown nor asked for",
    async (expires_in) => {
      const { code, stderr, slept } = await device([pending], { expires_in });
      expect({ code, slept }).toEqual({ code: 1, slept: [] });
      expect(stderr).toMatch(/^ferry: agents\.example\.com .*expires_in.*\n {2}hint: .*\n$/u);
    },
  );

  test.each(["DPoP", "mac"])("a key of type %s is refused", async (token_type) => {
    const { code, stderr } = await device([() => json(200, { access_token: "device-key", token_type })]);
    expect(code).toBe(1);
    expect(stderr).toContain("agents.example.com answered the login with something unexpected");
    expect(world.keychain.items.size).toBe(0);
  });

  test("a page of somebody else is never shown", async () => {
    const { code, stderr } = await device([], { verification_uri: "https://evil.example/" });
    expect(code).toBe(1);
    expect(stderr).toContain("names an address of somebody else as its verification_uri");
  });

  test.each([[["--device"]], [[]]])("where nothing gives keys, nobody is asked to approve anything: %j", async (argv) => {
    const { server } = scene;
    server.metadata = { ...server.metadata, token_endpoint: undefined };
    const { code, stderr } = await scene.login(scene.approve, { argv });
    expect([code, stderr]).toEqual([
      1,
      "ferry: agents.example.com names no address that gives keys (token_endpoint)\n" +
        "  hint: tell whoever runs the service, or use --with-token\n",
    ]);
  });

  test("a service that has this login alone says so, and nothing is left open", async () => {
    const { server, world } = scene;
    server.metadata = { ...server.metadata, authorization_endpoint: undefined };
    let opened = 0;
    const change = (host: Host): Host => ({
      ...host,
      network: {
        ...host.network,
        listen: async (...given) => {
          opened += 1;
          return host.network.listen(...given);
        },
      },
    });
    const { code, stderr } = await scene.login(scene.approve, { change });
    expect([code, stderr]).toEqual([
      1,
      "ferry: agents.example.com has no login by browser\n  hint: try --device or --with-token\n",
    ]);
    expect([opened, world.keychain.items.size]).toEqual([0, 0]);
  });

  test("a service that has no such login says so", async () => {
    const { code, stderr } = await scene.login(scene.approve, { argv: ["--device"] });
    expect(code).toBe(1);
    expect(stderr).toContain("agents.example.com has no login by device");
  });
});

describe("a service without login endpoints", () => {
  test.each([
    ["404", () => json(404, { error: "not found" })],
    ["401", () => json(401, { error: "who?" })],
    ["its own page", () => text(200, "<!doctype html>", { "content-type": "text/html" })],
  ])("(%s) takes a key that a person brings from its portal", async (_, answer) => {
    server.answers.set("/.well-known/oauth-authorization-server", async () => answer());
    server.given.push("portal-key");
    const there = world.next({}, { tty: true });
    there.prompt.expect("API key for agents.example.com:", "portal-key");
    const { code, stderr } = await ferry(there, "login", "--host", server.origin);
    expect(code).toBe(0);
    expect(stderr).toContain("agents.example.com has no login by browser: make a key in its portal, in the developer settings\n");
  });
});

describe("--device at the embedded service", () => {
  let there: LoginScene;
  beforeEach(async () => {
    there = await makeLoginScene();
  });
  afterEach(() => there.close());

  /** Each sleep between two questions takes as long at the service as `takes` makes of it; `then` is what happens meanwhile. */
  function login(takes: (ms: number) => number, then: (time: number, address: string) => Promise<unknown>) {
    const slept: number[] = [];
    const real = there.world.host.clock;
    const sleep: Clock["sleep"] = async (ms, signal) => {
      if (ms > 60_000) return real.sleep(ms, signal);
      slept.push(ms);
      there.service.clock.advance(takes(ms));
      await then(slept.length, /^ {2}(http\S+)$/mu.exec(world.terminal.written.stderr)?.[1] ?? "");
    };
    const world = there.world.next();
    const host = { ...world.host, clock: { ...world.host.clock, sleep } };
    const run = ferry({ ...world, host }, "login", "--host", there.site.origin, "--device");
    return run.then((result) => ({ ...result, slept }));
  }
  test("slow_down is honoured: who was too fast waits five seconds longer, each time", async () => {
    const { code, slept } = await login(
      (ms) => (ms < 15_000 ? 1000 : ms),
      async (time, address) => {
        if (time < 4) return;
        const { pathname, search } = new URL(address);
        await there.browser.get(pathname + search);
        await there.browser.submit(pathname + search, { decision: "approve" });
      },
    );
    expect(code).toBe(0);
    expect(slept).toEqual([5000, 5000, 10_000, 15_000]);
  });

  test("its expiry is told as that", async () => {
    const { code, stderr } = await login(
      () => 600_000,
      async () => undefined,
    );
    expect(code).toBe(4);
    expect(stderr).toContain("ferry: the code has expired\n  hint: run ferry login again\n");
  });
});
