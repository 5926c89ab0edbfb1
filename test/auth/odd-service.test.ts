import { afterEach, beforeEach, expect, test } from "vitest";
import { listen } from "../../src/host/network/listener.ts";
import { readConfig } from "../../src/cli/config/config.ts";
import { ferry } from "../support/ferry.ts";
import { type ForeignLogin, makeForeignLogin } from "../support/foreign-login.ts";
import { json, text } from "../support/login-server.ts";

let scene: ForeignLogin;
beforeEach(() => {
  scene = makeForeignLogin();
});
afterEach(() => scene.world.dispose());

test.each(["https://x;{touch,pwned};echo/", "https://x$(id)/", "javascript:alert(1)"])(
  "a redirect to what is no host's address, %s, is in no command",
  async (location) => {
    scene.server.answers.set("/.well-known/oauth-authorization-server", async () => text(302, "", { location }));
    expect((await scene.login()).stderr).toBe(
      "ferry: agents.example.com redirects the login to somewhere that is no address of a host\n" +
        "  hint: check the host's address, and ask whoever runs the service\n",
    );
  },
);

test.each([
  ["https://agents.example.com/gone", "within itself", "ask whoever runs the service"],
  ["http://evil.example/", "to http://evil.example", "check the host's address, and ask whoever runs the service"],
])("nor is one to %s, where no login can be", async (location, where, hint) => {
  scene.server.answers.set("/.well-known/oauth-authorization-server", async () => text(302, "", { location }));
  expect((await scene.login()).stderr).toBe(`ferry: agents.example.com redirects the login ${where}\n  hint: ${hint}\n`);
});

test.each([
  [{ user: { id: 5, email: {} }, workspace: { name: 7 }, key: { id: "k", scopes: "all:all" } }, "{}", "7"],
  [{ user: { id: "usr_1", email: "  " }, workspace: { name: "" }, key: { id: "k", scopes: [5, {}] } }, "usr_1", undefined],
  [{ user: { email: "a".repeat(100_000) } }, `${"a".repeat(319)}…`, undefined],
])("who the service says one is, %.60j, is a name in any case", async (info, account, workspace) => {
  scene.server.answers.set("/api/v1/cli", async () => json(200, info));
  const { code, stderr } = await scene.login();
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining(` as ${account}`) as string });
  const [entry] = (await readConfig(scene.world.host)).hosts;
  expect([entry?.account, entry?.workspace]).toEqual([account, workspace]);
});

test("a key that the service says back as a name is neither written down nor shown, whatever is asked for", async () => {
  scene.server.answers.set("/api/v1/cli", async ({ headers }) =>
    json(200, { user: { email: `x ${headers["x-api-key"]}` }, workspace: { name: headers["x-api-key"] } }),
  );
  const { code, stdout, stderr } = await scene.login(scene.approve, { argv: ["--json", "--show-secrets"] });
  expect(code).toBe(0);
  const config = JSON.stringify(await readConfig(scene.world.host));
  expect([stdout, stderr, config].filter((said) => said.includes("key-1"))).toEqual([]);
  const whoami = await ferry(scene.world.next(), "whoami", "--json");
  expect(JSON.parse(whoami.stdout)).toMatchObject({ workspace: { name: "<redacted>" } });
  const shown = await ferry(scene.world.next(), "api", "GET", "cli", "--show-secrets");
  expect(JSON.parse(shown.stdout)).toMatchObject({ workspace: { name: "key-1" } });
});

test("a right code that comes while a wrong one is being tried is tried after it", async () => {
  let arrive: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const tried: string[] = [];
  scene.server.answers.set("/token", async ({ body }) => {
    const code = new URLSearchParams(String(body)).get("code") ?? "";
    tried.push(code);
    if (code !== "wrong-code")
      return json(200, { access_token: scene.server.given[scene.server.given.push("key-x") - 1], token_type: "bearer" });
    await arrived;
    return json(400, { error: "invalid_grant" });
  });
  const pastes = ["wrong-code"];
  const { code } = await scene.login(scene.approve, {
    listen: (handler) =>
      listen(async (request) => {
        const answer = handler(request);
        if (request.path === "/callback") setImmediate(arrive);
        return answer;
      }),
    change: (host) => ({
      ...host,
      prompt: { ...host.prompt, text: async () => pastes.shift() ?? new Promise<never>(() => undefined) },
    }),
  });
  expect({ code, tried }).toEqual({ code: 0, tried: ["wrong-code", "code-1"] });
});

test.each([{ WSL_DISTRO_NAME: "Debian" }, { SSH_TTY: "/dev/pts/1", BROWSER: "there %s" }])(
  "a browser that may not reach this machine is given the address itself: %j",
  async (env) => {
    expect((await scene.login(scene.approve, { env })).code).toBe(0);
    expect(scene.world.opened).toEqual([expect.stringMatching(/^https:\/\/agents\.example\.com\/authorize\?/u)]);
  },
);

test.each([
  ["https://new.example/.well-known/oauth-authorization-server", "https://new.example"],
  ["https://new.example/.well-known/oauth-authorization-server/agents/", "https://new.example/agents"],
  ["https://sso.example/login?rd=x", undefined],
  ["https://new.example/base/.well-known/oauth-authorization-server", undefined],
])("where the login's metadata has moved to %s, the hint names the service there: %s", async (location, address) => {
  scene.server.answers.set("/.well-known/oauth-authorization-server", async () => text(302, "", { location }));
  const { code, stderr } = await scene.login();
  expect([code, stderr.split("\n  hint: ")[1]]).toEqual([
    1,
    address === undefined
      ? "check the host's address, and ask whoever runs the service\n"
      : `if that is the service's address, log in there: ferry login --host ${address}\n`,
  ]);
});
