import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Host, Network } from "../../src/host/host.ts";
import { listen } from "../../src/host/network/listener.ts";
import { ferry, type FerryResult } from "../support/ferry.ts";
import { json, type LoginServer, makeLoginServer, text } from "../support/login-server.ts";
import { makeWorld, type World, type WorldOptions } from "../support/world.ts";

let world: World;
let server: LoginServer;
beforeEach(() => {
  world = makeWorld({ env: { DISPLAY: ":0" } });
  server = makeLoginServer();
  world.services.set(server.origin, server.send);
});
afterEach(() => world.dispose());

/** What the person does with the address: by default approves, and lets the browser go where it is sent. */
type Act = (url: string) => void;
const approve: Act = (url) => void fetch(server.approve(url));

interface LoginOptions extends WorldOptions {
  readonly argv?: readonly string[];
  readonly paste?: string;
  readonly change?: (host: Host) => Host;
}

async function login(act: Act = approve, options: LoginOptions = {}): Promise<FerryResult> {
  const { argv = [], paste, change = (host) => host, env = {}, ...rest } = options;
  const there = world.next({ env }, { tty: true, listen, browse: act, ...rest });
  if (paste === undefined) there.prompt.ignore("Or paste");
  else there.prompt.expect("Or paste", paste);
  return ferry({ ...there, host: change(there.host) }, "login", "--host", server.origin, ...argv);
}

/** A person who pastes what the browser ended at: the address is read from the screen. */
function pasting(of: (location: string) => string, result: Host["prompt"]["text"] | undefined = undefined) {
  return (host: Host): Host => {
    let answer: (url: string) => void = () => undefined;
    const seen = new Promise<string>((resolve) => (answer = resolve));
    const write = async (said: string | Uint8Array): Promise<void> => {
      await host.terminal.stderr.write(said);
      const [, url] = /\n {2}(http\S+)\n/u.exec(String(said)) ?? [];
      if (url !== undefined) answer(url);
    };
    const paste = result ?? (async () => of(server.approve(await seen)));
    return {
      ...host,
      prompt: { ...host.prompt, text: paste },
      terminal: { ...host.terminal, stderr: { ...host.terminal.stderr, write } },
    };
  };
}

const refusingToListen =
  (error: Error): Network["listen"] =>
  () =>
    Promise.reject(error);

test.each([
  ["taken", "listen EADDRINUSE: address already in use 127.0.0.1"],
  ["reserved by the system", "listen EACCES: permission denied 127.0.0.1"],
  ["not there", "listen EADDRNOTAVAIL: address not available 127.0.0.1"],
])("callback port %s: the cause is told, and the pasted code logs in", async (_, message) => {
  const { code, stderr } = await login(() => undefined, {
    listen: refusingToListen(new Error(message)),
    change: pasting((location) => new URL(location).searchParams.get("code") ?? ""),
  });
  expect(stderr).toContain(`The browser can't come back here by itself (${message}): paste what it shows in the end.\n`);
  expect(code).toBe(0);
});

test("a bad state ends no login: stray requests by another process, and then the real one", async () => {
  const { code } = await login((url) => {
    const { searchParams } = new URL(url);
    const back = searchParams.get("redirect_uri") ?? "";
    void Promise.all(Array.from({ length: 20 }, (_, at) => fetch(`${back}?code=evil&state=${at}`))).then(() => approve(url));
  });
  expect(code).toBe(0);
  expect(server.calls.filter((call) => call === "POST /token")).toHaveLength(1);
});

test("another issuer in the answer (mix-up) is refused", async () => {
  const { code, stderr } = await login(
    (url) => void fetch(server.approve(url).replace(/iss=[^&]+/u, "iss=https%3A%2F%2Fevil.example")),
  );
  expect(code).toBe(1);
  expect(stderr).toContain("unexpected");
  expect(server.given).toEqual([]);
});

describe("code or key in an address or a log", () => {
  test("--verbose shows neither, nor verifier nor state, and no body", async () => {
    const requests: string[] = [];
    world.services.set(server.origin, async (request) => {
      requests.push(request.url);
      return server.send(request);
    });
    let location = "";
    const { code, stderr } = await login(
      (url) => {
        location = server.approve(url);
        void fetch(location);
      },
      { argv: ["--verbose"] },
    );
    expect(code).toBe(0);
    expect(stderr).toContain("> POST https://agents.example.com/token");
    const secrets = [server.given[0] ?? "", new URL(location).searchParams.get("code") ?? ""];
    for (const secret of secrets) {
      expect(stderr).not.toContain(secret);
      expect(requests.join(" ")).not.toContain(secret);
    }
    expect(stderr).not.toContain("code_verifier");
    expect(stderr).toContain("> x-api-key: <redacted>");
  });
});

describe("an address that the server sent is handed to the browser", () => {
  test.each([
    "file:///etc/passwd",
    "javascript:alert(1)",
    "https://evil.example/authorize",
    "http://agents.example.com/authorize",
    "https://agents.example.com.evil.example/authorize",
    "https://me@agents.example.com/authorize",
    "https://agents.example.com:444/authorize",
    "ssh://agents.example.com/",
    "not an address",
  ])("never %s", async (address) => {
    for (const name of ["authorization_endpoint", "token_endpoint", "device_authorization_endpoint", "revocation_endpoint"]) {
      server.metadata = { ...makeLoginServer().metadata, [name]: address };
      const { code, stderr } = await login();
      expect(code).toBe(1);
      expect(stderr).toContain(`agents.example.com names an address of somebody else as its ${name}`);
    }
    expect(world.opened).toEqual([]);
    expect(server.calls.every((call) => call.startsWith("GET /.well-known"))).toBe(true);
  });

  test("metadata of another issuer", async () => {
    server.metadata = { ...server.metadata, issuer: "https://evil.example" };
    const { code } = await login();
    expect(code).toBe(1);
    expect(world.opened).toEqual([]);
  });

  test("metadata from elsewhere: a redirect is not followed", async () => {
    server.answers.set("/.well-known/oauth-authorization-server", async () =>
      text(302, "", { location: "https://evil.example/x" }),
    );
    const { code, stderr } = await login();
    expect(code).toBe(1);
    expect(stderr).toContain("agents.example.com redirects the login to https://evil.example\n");
  });
});

describe('"Login successful" with nothing stored', () => {
  test("a keychain that forgets is told at login, and the key is ended", async () => {
    world.keychain.forgetful = true;
    const { code, stderr } = await login();
    expect(code).toBe(4);
    expect(stderr).toContain("the keychain did not keep the key");
    expect(stderr).not.toContain("logged in");
    expect(server.revoked).toEqual(server.given);
    expect((await ferry(world.next(), "whoami", "--host", server.origin)).code).toBe(4);
  });

  test("a key that the service then refuses is not stored", async () => {
    server.answers.set("/api/v1/cli", async () => json(401, { error: "no" }));
    const { code, stderr } = await login();
    expect(code).toBe(4);
    expect(stderr).not.toContain("logged in");
    expect(world.keychain.items.size).toBe(0);
    expect(server.revoked).toEqual(server.given);
  });
});

test.each(["locked", "timeout"] as const)(
  "a keychain that is %s at login is told as that, and the key is ended",
  async (trouble) => {
    world.keychain.trouble = trouble;
    const { code, stderr } = await login();
    expect(code).toBe(4);
    expect(stderr).toContain(`the keychain is ${trouble}`);
    expect(server.revoked).toEqual(server.given);
  },
);

test("no keychain at all: a file that only its owner can read, and a warning that names it", async () => {
  world.keychain.trouble = "unavailable";
  const { code, stderr } = await login();
  expect(code).toBe(0);
  expect(stderr).toContain(
    `no keychain here: the key is kept in ${world.folder}/config/credentials.json, readable only by you\n`,
  );
  expect(stderr).not.toContain(server.given[0]);
});

test("crash where xdg-open is missing: the address is on the screen, and the paste logs in", async () => {
  const missing = Object.assign(new Error("spawn xdg-open ENOENT"), { code: "ENOENT" });
  const person = pasting((location) => location);
  const { code, stderr } = await login(() => undefined, {
    change: (host) => ({ ...person(host), browser: { open: () => Promise.reject(missing) } }),
  });
  expect(stderr).toContain("no browser could be opened (spawn xdg-open ENOENT): open the address yourself\n");
  expect(code).toBe(0);
});

test("the address is printed before anything is opened (URL never printed)", async () => {
  let before = "";
  const { stderr } = await login(approve, {
    change: (host) => {
      const said: string[] = [];
      const write = async (line: string | Uint8Array): Promise<void> => {
        said.push(String(line));
        await host.terminal.stderr.write(line);
      };
      const open = (url: string): Promise<void> => {
        before = said.join("");
        return host.browser.open(url);
      };
      return { ...host, browser: { open }, terminal: { ...host.terminal, stderr: { ...host.terminal.stderr, write } } };
    },
  });
  expect(before).toContain(world.opened[0]);
  expect(stderr.indexOf(world.opened[0] ?? "-")).toBeGreaterThan(-1);
});

describe("endless wait", () => {
  test("nobody comes back within ten minutes", async () => {
    const { code, stderr } = await login(() => undefined, {
      change: (host) => ({
        ...host,
        clock: { ...host.clock, sleep: async (ms, signal) => (ms >= 600_000 ? undefined : host.clock.sleep(ms, signal)) },
      }),
    });
    expect(code).toBe(4);
    expect(stderr).toContain("ferry: nobody came back from the browser within ten minutes\n");
  });

  test.each<[Record<string, string>, WorldOptions, string]>([
    [{ SSH_TTY: "/dev/pts/1" }, {}, "this is an SSH session"],
    [{ DISPLAY: "" }, {}, "there is no display"],
    [{}, { container: true }, "this is a container"],
    [{ BROWSER: "none" }, {}, "BROWSER is none"],
  ])("with %j %j nothing is opened, and the pasted address logs in", async (env, options, why) => {
    const { code, stderr } = await login(
      () => {
        throw new Error("a browser was opened");
      },
      { env, ...options, change: pasting((location) => location) },
    );
    expect(stderr).toContain(`Open this in a browser (${why}: none is opened here):\n`);
    expect(code).toBe(0);
  });

  test("--no-browser opens none either", async () => {
    const { code } = await login(() => undefined, { argv: ["--no-browser"], change: pasting((location) => location) });
    expect(code).toBe(0);
    expect(world.opened).toEqual([]);
  });

  test("in CI it is exit 4 in under a second, with the way out, and nothing is asked of anybody", async () => {
    const started = performance.now();
    const { code, stderr } = await login(approve, { env: { CI: "true" } });
    expect(code).toBe(4);
    expect(stderr).toContain('pipe a key to "ferry login --with-token"');
    expect(performance.now() - started).toBeLessThan(1000);
    expect(server.calls).toEqual([]);
  });

  test("Ctrl-C ends browser and paste at once", async () => {
    const there = world.next({}, { tty: true, listen, browse: () => there.interrupt() });
    there.prompt.ignore("Or paste");
    expect((await ferry(there, "login", "--host", server.origin)).code).toBe(130);
  });
});

describe("two logins at once", () => {
  test("for two hosts: each takes its own code", async () => {
    const other = makeLoginServer("https://b.example");
    world.services.set(other.origin, other.send);
    const one = (of: LoginServer) => {
      const there = world.next({}, { tty: true, listen, browse: (url) => void fetch(of.approve(url)) });
      there.prompt.ignore("Or paste");
      return ferry(there, "login", "--host", of.origin);
    };
    const results = await Promise.all([one(server), one(other)]);
    expect(results.map(({ code }) => code)).toEqual([0, 0]);
    const { stdout } = await ferry(world.next(), "auth", "status", "--json");
    expect((JSON.parse(stdout) as { name: string; works: boolean }[]).map(({ name, works }) => [name, works]).sort()).toEqual([
      ["agents.example.com", true],
      ["b.example", true],
    ]);
  });

  test("for the same host: both end well, and the one that is kept works", async () => {
    const results = await Promise.all([login(), login()]);
    expect(results.map(({ code }) => code)).toEqual([0, 0]);
    expect((await ferry(world.next(), "whoami")).code).toBe(0);
  });
});

describe("the token call", () => {
  test.each<[string, () => ReturnType<typeof text>, number, string]>([
    ["HTML", () => text(200, "<html>", { "content-type": "text/html" }), 1, "something unexpected"],
    ["500", () => text(500, "oops"), 6, "agents.example.com answered the login with 500"],
    [
      "a redirect elsewhere",
      () => text(307, "", { location: "https://evil.example/token" }),
      1,
      "redirects the login to https://evil.example",
    ],
    [
      "an expired code",
      () => json(400, { error: "invalid_grant", error_description: "\u001b[31mold\u0007" }),
      4,
      "refused the login: ␛[31mold␇",
    ],
    ["no key", () => json(200, { token_type: "bearer" }), 1, "something unexpected"],
  ])("answered with %s: exit %#", async (_, answer, exit, says) => {
    server.answers.set("/token", async () => answer());
    const { code, stderr } = await login();
    expect({ code, stderr }).toEqual({ code: exit, stderr: expect.stringContaining(says) as string });
    expect(world.keychain.items.size).toBe(0);
  });
});

test("the key is not sent to another host after a redirect", async () => {
  const seen: unknown[] = [];
  world.services.set("https://evil.example", async (request) => {
    seen.push(request);
    return json(200, {});
  });
  server.answers.set("/api/v1/cli", async () => text(302, "", { location: "https://evil.example/api/v1/cli" }));
  const { code, stderr } = await login();
  expect(code).toBe(1);
  expect(stderr).toContain("agents.example.com redirects to https://evil.example; the key is not sent there");
  expect(seen).toEqual([]);
});

describe("logout", () => {
  test("ends a key that login had made", async () => {
    await login();
    expect((await ferry(world.next(), "logout")).stderr).toBe(
      "logged out of agents.example.com (ada@example.com); the key is revoked\n",
    );
    expect(server.revoked).toEqual(server.given);
    expect(world.keychain.items.size).toBe(0);
  });

  test("while the service is down: the local copy goes, and it says that the key is still valid there", async () => {
    await login();
    server.answers.set("/revoke", async () => text(503, ""));
    const { code, stderr } = await ferry(world.next(), "logout");
    expect(code).toBe(0);
    expect(stderr).toBe(
      "logged out of agents.example.com (ada@example.com); the key is still valid there\n" +
        "it could not be revoked: agents.example.com answered the login with 503; do it in the portal\n",
    );
    expect(world.keychain.items.size).toBe(0);
  });

  test("leaves a key that was pasted, and ends it with --revoke", async () => {
    server.given.push("pasted-key");
    const paste = () => ferry(world.next({}, { stdin: "pasted-key" }), "login", "--host", server.origin, "--with-token");
    await paste();
    expect((await ferry(world.next(), "logout")).stderr).toContain("still valid there");
    expect(server.revoked).toEqual([]);
    await paste();
    expect((await ferry(world.next(), "logout", "--revoke")).stderr).toContain("the key is revoked");
    expect(server.revoked).toEqual(["pasted-key"]);
  });

  test("of a key that somebody deleted by hand", async () => {
    await login();
    for (const name of [...world.keychain.items.keys()])
      await world.keychain.deletePassword(...(name.split("\0") as [string, string]));
    const { code, stderr } = await ferry(world.next(), "logout");
    expect(code).toBe(0);
    expect(stderr).toContain("it could not be revoked: it is no longer in the keychain");
  });
});

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
    const sleep = async (ms: number): Promise<void> => void slept.push(ms);
    const run = login(approve, {
      argv: ["--device"],
      tty: false,
      change: (host) => ({ ...host, clock: { ...host.clock, sleep } }),
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

  test.each([
    ["access_denied", "the login was denied in the browser"],
    ["expired_token", "the code has expired"],
  ])("%s ends it", async (error, says) => {
    const { code, stderr } = await device([pending, () => json(400, { error })]);
    expect(code).toBe(4);
    expect(stderr).toContain(says);
  });

  test("a page of somebody else is never shown", async () => {
    const { code, stderr } = await device([], { verification_uri: "https://evil.example/" });
    expect(code).toBe(1);
    expect(stderr).toContain("names an address of somebody else as its verification_uri");
  });

  test("a service that has no such login says so", async () => {
    const { code, stderr } = await login(approve, { argv: ["--device"] });
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
