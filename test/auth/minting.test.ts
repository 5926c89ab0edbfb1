import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Host } from "../../src/host/host.ts";
import { asDead } from "../support/dead.ts";
import { ferry } from "../support/ferry.ts";
import { type ForeignLogin, makeForeignLogin } from "../support/foreign-login.ts";
import { json, type LoginServer } from "../support/login-server.ts";
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
    expect([code, stderr]).toEqual([0, expect.stringContaining("where one was made by then, is lost and still valid")]);
  },
);

test("a login that was given up has nothing to tell", async () => {
  server.answers.set("/token", async () => json(400, { error: "access_denied" }));
  expect((await scene.login(scene.approve, { env: inFile })).code).not.toBe(0);
  expect(config()).not.toHaveProperty("pending");
});
