import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Send } from "../../../src/host/host.ts";
import { ferry } from "../../support/ferry.ts";
import { makeSeedService, type SeedService } from "../../support/seed-service.ts";
import { makeWorld, type World } from "../../support/world.ts";

const site = "http://127.0.0.1:18521";

let world: World;
let services: Record<string, SeedService>;
/** What a service at a path of the site says of its portal. */
let portals: Record<string, string>;

/** Two services at one site, that with a session of the same id each, and logins to both: the last one to /a. */
beforeEach(async () => {
  services = { a: makeSeedService({ key: "key-a" }), b: makeSeedService({ key: "key-b" }) };
  portals = {};
  world = makeWorld({ env: {} });
  world.services.set(site, atPaths);
  for (const [name, service] of Object.entries(services).toReversed()) {
    service.sessions.push({ id: "ses_1", status: "active", agent_status: "idle", created_at: "2026-01-01T00:00:00.000Z" });
    const login = world.next({}, { stdin: `key-${name}\n` });
    expect((await ferry(login, "login", "--host", `${site}/${name}`, "--with-token")).code).toBe(0);
  }
});
afterEach(() => world.dispose());

const atPaths: Send = async (request) => {
  const { pathname, search } = new URL(request.url);
  const [, name = "", rest = ""] = /^\/([^/]*)(.*)$/u.exec(pathname) ?? [];
  const answer = (await services[name]?.send({ ...request, url: `${site}${rest}${search}` })) ?? missing;
  return rest === "/api/v1/cli" && portals[name] !== undefined
    ? { ...answer, status: 200, body: bytes(JSON.stringify({ portal_url: portals[name] })) }
    : answer;
};

const missing = { status: 404, headers: {}, body: bytes("{}"), cancel: async () => undefined };

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Which of them a `session edit` changes a session of, and what it says. */
async function edit(address: string, env: Record<string, string> = {}, ...argv: string[]) {
  const there = world.next({ env: { ...world.host.env, ...env } });
  const { code, stderr } = await ferry(there, ...argv, "session", "edit", address, "--model", "m");
  const isWritten = ({ calls }: SeedService) => calls.some((call) => !call.startsWith("GET") && call.includes("ses_1"));
  const changed = Object.entries(services).flatMap(([name, service]) => (isWritten(service) ? [name] : []));
  return { code, changed, told: stderr.split("\n")[0] };
}

const refused = (from: string, host: string) => ({
  code: 2,
  changed: [],
  told: `ferry: this address is of ${from}, and the host is ${host}`,
});

describe("of two services at one site an address is of the one that it lies below", () => {
  test("and not of another one that is named, be it in the environment or for this command", async () => {
    const address = `${site}/b/sessions/ses_1`;
    const told = refused("127.0.0.1:18521/b", "127.0.0.1:18521/a");
    expect(await edit(address, { FERRY_HOST: `${site}/a` })).toEqual(told);
    expect(await edit(address, {}, "--host", `${site}/a`)).toEqual(told);
    expect(await edit(address.replace("127.0.0.1", "localhost"), { FERRY_HOST: `${site}/a` })).toEqual(told);
  });

  test.each(["127.0.0.1", "localhost"])("by whatever name this machine has: %s", async (name) => {
    expect(await edit(`http://${name}:18521/b/sessions/ses_1`)).toMatchObject({ code: 0, changed: ["b"] });
  });

  test("and of none where it lies below neither", async () => {
    const address = `${site}/c/sessions/ses_1`;
    expect(await edit(address, { FERRY_HOST: `${site}/a` })).toEqual(refused("127.0.0.1:18521/c", "127.0.0.1:18521/a"));
    expect(await edit(address)).toMatchObject({ code: 4, changed: [] });
    expect(await edit(`${site}/ab/sessions/ses_1`)).toMatchObject({ code: 4, changed: [] });
  });
});

describe("or of the one whose portal it lies in", () => {
  test("path included", async () => {
    portals = { b: `${site}/portal/` };
    expect(await edit(`${site}/portals/sessions/ses_1`)).toMatchObject({ code: 4, changed: [] });
    expect(await edit("http://localhost:18521/portal/sessions/ses_1")).toMatchObject({ code: 0, changed: ["b"] });
  });

  test("also where a login at the same site no longer works", async () => {
    portals = { b: `${site}/pb` };
    const { send } = services["a"] ?? {};
    Object.assign(services["a"] ?? {}, {
      send: async (request: Parameters<Send>[0]) => ({ ...((await send?.(request)) ?? missing), status: 401 }),
    });
    expect(await edit(`${site}/pc/sessions/ses_1`)).toMatchObject({ code: 4, changed: [] });
    expect(await edit(`${site}/pb/sessions/ses_1`)).toMatchObject({ code: 0, changed: ["b"] });
  });

  test("but not where a login is nearer than the portal", async () => {
    portals = { a: site };
    expect(await edit(`${site}/b/sessions/ses_1`, { FERRY_HOST: `${site}/a` })).toMatchObject({ code: 2, changed: [] });
    expect(await edit(`${site}/sessions/ses_1`, { FERRY_HOST: `${site}/a` })).toMatchObject({ code: 0, changed: ["a"] });
  });
});
