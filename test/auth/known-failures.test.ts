import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Network } from "../../src/host/host.ts";
import { listen } from "../../src/host/network/listener.ts";
import { ferry } from "../support/ferry.ts";
import { type ForeignLogin, makeForeignLogin } from "../support/foreign-login.ts";
import { json, text, type LoginServer, makeLoginServer } from "../support/login-server.ts";
import { type World, type WorldOptions } from "../support/world.ts";

let scene: ForeignLogin;
let world: World;
let server: LoginServer;
beforeEach(() => {
  scene = makeForeignLogin();
  ({ world, server } = scene);
});
afterEach(() => world.dispose());

const refusingToListen =
  (error: Error): Network["listen"] =>
  () =>
    Promise.reject(error);

test.each([
  ["taken", "listen EADDRINUSE: address already in use 127.0.0.1"],
  ["reserved by the system", "listen EACCES: permission denied 127.0.0.1"],
  ["not there", "listen EADDRNOTAVAIL: address not available 127.0.0.1"],
])("callback port %s: the cause is told, and the pasted code logs in", async (_, message) => {
  const { code, stderr } = await scene.login(() => undefined, {
    listen: refusingToListen(new Error(message)),
    change: scene.pasting((location) => new URL(location).searchParams.get("code") ?? ""),
  });
  expect(stderr).toContain(`The browser can't come back here by itself (${message}): paste what it shows in the end.\n`);
  expect(code).toBe(0);
});

test("a bad state ends no login: stray requests by another process, and then the real one", async () => {
  const { code } = await scene.login((url) => {
    const { searchParams } = new URL(url);
    const back = searchParams.get("redirect_uri") ?? "";
    void Promise.all(Array.from({ length: 20 }, (_, at) => fetch(`${back}?code=evil&state=${at}`))).then(() =>
      scene.approve(url),
    );
  });
  expect(code).toBe(0);
  expect(server.calls.filter((call) => call === "POST /token")).toHaveLength(1);
});

test("another issuer in the answer (mix-up) is refused and ends nothing: the right one is still taken", async () => {
  const act = async (url: string): Promise<void> => {
    const right = server.approve(url);
    const mixed = new URL(right);
    mixed.searchParams.set("iss", "https://evil.example");
    expect((await fetch(mixed)).status).toBe(400);
    await fetch(right);
  };
  expect(await scene.login((url) => void act(url))).toMatchObject({ code: 0 });
});

describe("code or key in an address or a log", () => {
  test("--verbose shows neither, nor verifier nor state, and no body", async () => {
    const requests: string[] = [];
    world.services.set(server.origin, async (request) => {
      requests.push(request.url);
      return server.send(request);
    });
    let location = "";
    const { code, stderr } = await scene.login(
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
      const { code, stderr } = await scene.login();
      expect(code).toBe(1);
      expect(stderr).toContain(`agents.example.com names an address of somebody else as its ${name}`);
    }
    expect(world.opened).toEqual([]);
    expect(server.calls.every((call) => call.startsWith("GET /.well-known"))).toBe(true);
  });

  test.each([7, true, {}, []])("nor %j, and the field is named", async (address) => {
    server.metadata = { ...server.metadata, token_endpoint: address };
    const { code, stderr } = await scene.login();
    expect(code).toBe(1);
    expect(stderr).toContain("ferry: agents.example.com names no address as its token_endpoint\n");
    expect(world.opened).toEqual([]);
  });

  test("metadata without end is given up, and its bound told", async () => {
    server.answers.set("/.well-known/oauth-authorization-server", async () => json(200, "x".repeat(300 * 1024)));
    expect((await scene.login()).stderr).toContain("ferry: the answer of agents.example.com is larger than 256 KiB\n");
  });

  test("null is none", async () => {
    server.metadata = { ...server.metadata, device_authorization_endpoint: null };
    expect((await scene.login()).code).toBe(0);
  });

  test("metadata of another issuer", async () => {
    server.metadata = { ...server.metadata, issuer: "https://evil.example" };
    const { code, stderr } = await scene.login();
    expect(code).toBe(1);
    expect(stderr).toContain("ferry: agents.example.com says that its login is https://evil.example\n");
    expect(stderr).toContain("if that is the service's address, log in there: ferry login --host https://evil.example\n");
    expect(world.opened).toEqual([]);
  });

  test.each(["https://evil.example/$(id)\u001b[2J", "agents.example.com"])("issuer %j is not said back", async (issuer) => {
    server.metadata = { ...server.metadata, issuer };
    const { code, stderr } = await scene.login();
    expect(code).toBe(1);
    expect(stderr).toContain("ferry: agents.example.com says that its login is somewhere that is no address of a host\n");
    expect(stderr).not.toContain("$(id)");
  });

  test("metadata from elsewhere: a redirect is not followed", async () => {
    server.answers.set("/.well-known/oauth-authorization-server", async () =>
      text(302, "", { location: "https://evil.example/x" }),
    );
    const { code, stderr } = await scene.login();
    expect(code).toBe(1);
    expect(stderr).toContain("agents.example.com redirects the login to https://evil.example\n");
  });
});

describe('"Login successful" with nothing stored', () => {
  test("a keychain that forgets is told before any key is made", async () => {
    world.keychain.forgetful = true;
    const { code, stderr } = await scene.login();
    expect(code).toBe(4);
    expect(stderr).toContain("the keychain takes secrets and does not keep them");
    expect([server.given, world.opened]).toEqual([[], []]);
  });

  test("one that forgets from then on is told, and the key is ended", async () => {
    const { code, stderr } = await scene.login((url) => {
      world.keychain.forgetful = true;
      scene.approve(url);
    });
    expect(code).toBe(4);
    expect(stderr).toContain("the keychain did not keep the key");
    expect(stderr).not.toContain("logged in");
    expect(server.revoked).toEqual(server.given);
    expect((await ferry(world.next(), "whoami", "--host", server.origin)).code).toBe(4);
  });

  test("a key that is brought goes nowhere while the keychain is locked", async () => {
    world.keychain.trouble = "locked";
    const asked: string[] = [];
    world.services.set(server.origin, (request) => {
      asked.push(request.url);
      return server.send(request);
    });
    const { code, stderr } = await ferry(
      world.next({}, { stdin: "pasted-key" }),
      ...["login", "--host", server.origin, "--with-token"],
    );
    expect([code, stderr, asked]).toEqual([4, "ferry: the keychain is locked\n", []]);
  });

  test("a key that the service then refuses is not stored", async () => {
    server.answers.set("/api/v1/cli", async () => json(401, { error: "no" }));
    const { code, stderr } = await scene.login();
    expect(code).toBe(4);
    expect(stderr).not.toContain("logged in");
    expect(world.keychain.items.size).toBe(0);
    expect(server.revoked).toEqual(server.given);
  });
});

test("a home that can't be written to (case 14): nothing is left of the login, here or there", async () => {
  const { code, stderr } = await scene.login(scene.approve, { env: { FERRY_CONFIG_DIR: "/dev/null/config" } });
  expect(code).toBe(1);
  expect(stderr).not.toContain("logged in");
  expect(world.keychain.items.size).toBe(0);
  expect(server.revoked).toEqual(server.given);
});

test("Ctrl-C after the key was made, before it is kept: the key is ended", async () => {
  const there = world.next({}, { tty: true, listen, browse: scene.approve });
  there.prompt.ignore("Or paste");
  server.answers.set("/api/v1/cli", async () => {
    there.interrupt();
    return json(200, {});
  });
  expect((await ferry(there, "login", "--host", server.origin)).code).toBe(130);
  expect(server.given).toHaveLength(1);
  expect(server.revoked).toEqual(server.given);
  expect(world.keychain.items.size).toBe(0);
});

test("a service that takes only Authorization: Bearer", async () => {
  const { send } = server;
  world.services.set(server.origin, async (request) => {
    const { authorization, ...headers } = request.headers;
    const key = authorization?.replace("Bearer ", "") ?? "";
    return send({ ...request, headers: { ...headers, "x-api-key": key } });
  });
  expect((await scene.login()).code).toBe(0);
  expect((await ferry(world.next(), "whoami")).code).toBe(0);
});

test("no keychain at all: a file that only its owner can read, and a warning that names it", async () => {
  world.keychain.trouble = "unavailable";
  const { code, stderr } = await scene.login();
  expect(code).toBe(0);
  expect(stderr).toContain(
    `the keychain is unavailable; the key is kept in ${world.folder}/config/credentials.json, readable only by you\n`,
  );
  expect(stderr).not.toContain(server.given[0]);
  expect(stderr.split("credentials.json")).toHaveLength(2);
});

test("crash where xdg-open is missing: the address is on the screen, and the paste logs in", async () => {
  const missing = new Error("there is no xdg-open");
  const person = scene.pasting((location) => location);
  const { code, stderr } = await scene.login(() => undefined, {
    change: (host) => ({ ...person(host), browser: { open: () => Promise.reject(missing) } }),
  });
  expect(stderr).toContain("no browser could be opened (there is no xdg-open): open the address yourself\n");
  expect(code).toBe(0);
});

test("the address is printed before anything is opened (URL never printed)", async () => {
  let before = "";
  let asked = "";
  const act = (url: string): void => {
    asked = url;
    scene.approve(url);
  };
  await scene.login(act, {
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
  expect(before).toContain(`\n  ${asked}\n`);
});

describe("endless wait", () => {
  test("nobody comes back within ten minutes", async () => {
    const { code, stderr } = await scene.login(() => undefined, {
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
    const { code, stderr } = await scene.login(
      () => {
        throw new Error("a browser was opened");
      },
      { env, ...options, change: scene.pasting((location) => location) },
    );
    expect(stderr).toContain(`Open this in a browser (${why}: none is opened here):\n`);
    expect(code).toBe(0);
  });

  test("--no-browser opens none either", async () => {
    const { code } = await scene.login(() => undefined, {
      argv: ["--no-browser"],
      change: scene.pasting((location) => location),
    });
    expect(code).toBe(0);
    expect(world.opened).toEqual([]);
  });

  test("in CI it is exit 4 in under a second, with the way out, and nothing is asked of anybody", async () => {
    const started = performance.now();
    const { code, stderr } = await scene.login(scene.approve, { env: { CI: "true" } });
    expect(code).toBe(4);
    expect(stderr).toMatch(/pipe a key to "ferry login --host http\S+ --with-token"/u);
    expect(performance.now() - started).toBeLessThan(1000);
    expect(server.calls).toEqual([]);
  });

  test("Ctrl-C ends browser and paste at once", async () => {
    const there = world.next({}, { tty: true, listen, browse: () => there.interrupt() });
    there.prompt.ignore("Or paste");
    expect((await ferry(there, "login", "--host", server.origin)).code).toBe(130);
  });
});
