import { afterEach, beforeEach, expect, test } from "vitest";
import { ferry } from "../../support/ferry.ts";
import { json } from "../../support/login-server.ts";
import { makeTestService, type TestService } from "../../support/service.ts";
import { makeWorld, type World } from "../../support/world.ts";

const url = "https://agents.example.com";

let world: World;
let service: TestService;
beforeEach(async () => {
  service = await makeTestService();
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key } });
  world.services.set(url, service.send);
});
afterEach(async () => {
  await service.close();
  await world.dispose();
});

const calls: string[] = [];
/** A service that has these keys, by id and name. */
const has = (...keys: readonly (readonly [id: string, name: string])[]): void => {
  calls.length = 0;
  const left = new Map(keys);
  world.services.set(url, async (request) => {
    const { pathname } = new URL(request.url);
    if (request.method === "DELETE") {
      const id = pathname.slice(pathname.lastIndexOf("/") + 1);
      calls.push(id);
      left.delete(id);
      return json(200, { id });
    }
    if (!pathname.endsWith("/api-keys")) return service.send(request);
    return json(200, { items: [...left].map(([id, name]) => ({ id, name, scopes: ["all:all"] })), next_cursor: null });
  });
};
const revoke = (given: string) => ferry(world.next(), "key", "revoke", given, "-y");
const [one, other] = ["key_pa9pt0b4mtydmxgj", "key_pa9pt0b5mtydmxgj"] as const;

test("as it stands there, with its kind before it or not, and longer", async () => {
  const key = await service.makeKey({ name: "ci" });
  const { stdout } = await ferry(world.next({}, { tty: true }), "key", "list");
  const [, shown = ""] = /^(\w{8}) +ci /mu.exec(stdout) ?? [];
  expect((await ferry(world.next(), "key", "revoke", shown, "-y")).stderr).toMatch(
    new RegExp(`^the key ci \\(key_${shown}\\w{8}\\) is revoked\n$`, "u"),
  );
  expect((await ferry(world.next({ env: { FERRY_API_KEY: key } }), "session", "list")).code).toBe(4);
  for (const given of ["pa9pt0b4", "key_pa9pt0b4", "pa9pt0b4mt", "pa9pt0b4…mxgj", one]) {
    has([one, "ci"], [other, "nightly"]);
    expect([given, (await revoke(given)).code, calls]).toEqual([given, 0, [one]]);
  }
});

test("the question names the whole", async () => {
  has([one, "ci"], [other, "nightly"]);
  expect((await ferry(world.next(), "key", "revoke", "pa9pt0b4")).stderr).toContain(
    `Revoke the key ci (${one}) of agents.example.com?`,
  );
});

test.each(["pa9pt0b", "key_pa9p", "key_pa9pt0b", "pa9p…mxgj", "t0b4mtydmxgj", "key_"])(
  "less of it, or another part, names none: %j",
  async (given) => {
    has([one, "ci"]);
    expect([(await revoke(given)).code, calls]).toEqual([5, []]);
  },
);

test("what several begin with is none of them, and they are told", async () => {
  has([one, "ci"], ["key_pa9pt0b4zzzzzzzz", "nightly"], ["key_0000000000000000", "third"]);
  const { code, stderr } = await revoke("pa9pt0b4");
  expect([code, stderr, calls]).toEqual([
    2,
    `ferry: pa9pt0b4 could be several keys\n  ${one}  ci\n  key_pa9pt0b4zzzzzzzz  nightly\n  hint: name one by its id\n`,
    [],
  ]);
});

test("the name of one that is the start of another's id means neither, again and again; a whole id goes before a name", async () => {
  has([one, "ci"], [other, "pa9pt0b4"]);
  for (const again of [1, 2]) expect([again, (await revoke("pa9pt0b4")).code, calls]).toEqual([again, 2, []]);
  has([one, "ci"], [other, one]);
  expect([(await revoke(one)).code, calls]).toEqual([0, [one]]);
});

test("a service's short ids are whole or nothing", async () => {
  has(["12", "ci"], ["123456", "nightly"]);
  expect([(await revoke("1234")).code, (await revoke("12345")).code, calls]).toEqual([5, 5, []]);
  expect([(await revoke("123456")).code, (await revoke("12")).code, calls]).toEqual([0, 0, ["123456", "12"]]);
});
