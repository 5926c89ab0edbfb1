import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Clock, Host } from "../../src/host/host.ts";
import { ferry } from "../support/ferry.ts";
import { type ForeignLogin, makeForeignLogin } from "../support/foreign-login.ts";
import { json, type LoginServer } from "../support/login-server.ts";
import type { World } from "../support/world.ts";

let scene: ForeignLogin;
let world: World;
let server: LoginServer;
let rested: number[];
beforeEach(() => {
  scene = makeForeignLogin();
  ({ world, server } = scene);
  rested = [];
});
afterEach(() => world.dispose());

/** Rests take no time. Longer than a login's are only the bounds on other waits. */
const resting = (host: Host): Host => {
  const sleep: Clock["sleep"] = async (ms, signal) => (ms > 15_000 ? host.clock.sleep(ms, signal) : void rested.push(ms));
  return { ...host, clock: { ...host.clock, sleep } };
};

/** What answers with 429 so many times, and then as the server does. */
const busyAt = (path: string, times: number, after: string): void => {
  server.answers.set(path, async (request) => {
    if (times-- > 0) return json(429, { error: "Too Many Requests" }, { "retry-after": after });
    server.answers.delete(path);
    return server.send(request);
  });
};

const callsOf = (path: string) => server.calls.filter((call) => call === `POST ${path}`).length;

describe("429 with a Retry-After (RFC 6585, 4) is rested for, and the same is asked again", () => {
  test("the token call", async () => {
    busyAt("/token", 2, "2");
    expect(await scene.login(scene.approve, { change: resting })).toMatchObject({ code: 0 });
    expect(rested).toEqual([2000, 2000]);
    expect(server.given).toEqual(["key-1"]);
  });

  test("the begin of a login by device", async () => {
    server.metadata = { ...server.metadata, device_authorization_endpoint: `${server.origin}/device` };
    let asked = 0;
    server.answers.set("/device", async () => {
      if (asked++ === 0) return json(429, {}, { "retry-after": "3" });
      const task = { device_code: "dc", user_code: "WDJB-MJHT", verification_uri: `${server.origin}/activate`, expires_in: 600 };
      return json(200, task);
    });
    server.answers.set("/token", async () => json(400, { error: "access_denied" }));
    const { code, stderr } = await scene.login(scene.approve, { argv: ["--device"], tty: false, change: resting });
    expect([code, stderr]).toEqual([4, expect.stringContaining("the login was denied")]);
    expect(rested).toEqual([3000, 5000]);
  });

  test("a revocation", async () => {
    await scene.login();
    busyAt("/revoke", 1, "1");
    const there = world.next();
    expect(await ferry({ ...there, host: resting(there.host) }, "logout")).toMatchObject({ code: 0 });
    expect(server.revoked).toEqual(["key-1"]);
    expect(rested).toEqual([1000]);
  });

  test("but no longer than 15 seconds in all", async () => {
    busyAt("/token", 100, "6");
    expect(await scene.login(scene.approve, { change: resting })).toMatchObject({ code: 6 });
    expect(rested).toEqual([6000, 6000]);
  });

  test("nor more than three times", async () => {
    busyAt("/token", 100, "0");
    expect(await scene.login(scene.approve, { change: resting })).toMatchObject({ code: 6 });
    expect(rested).toEqual([1000, 1000, 1000]);
  });

  test("nor where the service answers the login itself", async () => {
    server.answers.set("/token", async () => json(429, { error: "invalid_scope" }, { "retry-after": "1" }));
    expect(await scene.login(scene.approve, { change: resting })).toMatchObject({ code: 4 });
    expect(rested).toEqual([]);
  });

  test("nor between the questions of a login by device, which have a pace of their own (RFC 8628, 3.5)", async () => {
    server.metadata = { ...server.metadata, device_authorization_endpoint: `${server.origin}/device` };
    const task = { device_code: "dc", user_code: "WDJB-MJHT", verification_uri: `${server.origin}/activate`, expires_in: 600 };
    server.answers.set("/device", async () => json(200, task));
    const answers = [json(429, { error: "slow_down" }, { "retry-after": "1" }), json(400, { error: "access_denied" })];
    server.answers.set("/token", async () => answers.shift() ?? json(500, {}));
    expect(await scene.login(scene.approve, { argv: ["--device"], tty: false, change: resting })).toMatchObject({ code: 4 });
    expect(rested).toEqual([5000, 10_000]);
  });

  test("and whoever asks for a longer rest gets it: the login ends, with the way on", async () => {
    busyAt("/token", 1, "60");
    const { code, stderr } = await scene.login(scene.approve, { change: resting });
    expect([code, rested, callsOf("/token")]).toEqual([6, [], 1]);
    expect(stderr).toContain("agents.example.com can't do the login now: Too Many Requests\n  hint: try again later\n");
  });
});
