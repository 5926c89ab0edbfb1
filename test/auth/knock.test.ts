import { afterEach, beforeEach, expect, test } from "vitest";
import { persevere } from "../../src/client/http/retry.ts";
import { NoAnswerError } from "../../src/base/errors.ts";
import type { SendRequest, SendResponse } from "../../src/host/host.ts";
import { ferry } from "../support/ferry.ts";
import { text } from "../support/login-server.ts";
import { makeWorld, type World } from "../support/world.ts";

const address = "https://wrong.example";
let world: World;
let asked: SendRequest[];
beforeEach(() => {
  world = makeWorld();
  asked = [];
});
afterEach(() => world.dispose());

/** A host that was mistyped, and what it says to anything. */
function serve(answer: () => SendResponse): void {
  world.services.set(address, async (request) => {
    asked.push(request);
    return answer();
  });
}
const notFound = () => text(404, "Not Found");
const page = () => text(200, "<html>", { "content-type": "text/html; charset=utf-8" });
const keys = () => asked.flatMap(({ headers }) => [headers["x-api-key"], headers["authorization"]]).filter(Boolean);

test.each([
  ["doesn't know the calls", notFound],
  ["has a page for everything", page],
])("a host that %s gets no key", async (_, answer) => {
  serve(answer);
  const piped = await ferry(world.next({}, { stdin: "secret-key" }), "login", "--host", address, "--with-token");
  const said = "ferry: no agent service answers at wrong.example\n  hint: check its address\n";
  expect([piped.code, piped.stderr]).toEqual([5, said]);
  // Nor is anybody asked for one.
  const typed = await ferry(world.next({}, { tty: true }), "login", "--host", address);
  expect([typed.code, typed.stderr]).toEqual([5, expect.stringContaining(said)]);
  expect(keys()).toEqual([]);
});

test("doctor tells it before it asks for a login there", async () => {
  serve(notFound);
  const { stdout } = await ferry(world.next(), "doctor", "--json", "--host", address);
  const rows = JSON.parse(stdout) as { name: string; says: string }[];
  expect(rows.find(({ name }) => name === "service")?.says).toBe("no agent service answers at wrong.example");
});

test("a certificate that isn't believed is not shown a second time", async () => {
  let tries = 0;
  const error = new NoAnswerError("not trusted", { sent: false, code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" });
  const patience = { ...world.host, limit: 60_000 };
  await expect(persevere(patience, true, () => (tries++, Promise.reject(error)))).rejects.toBe(error);
  expect(tries).toBe(1);
});

test("a service that goes by another name, as through a forwarded port, says so itself, and gets no key", async () => {
  const said = "this service is at http://127.0.0.1:18981, and goes by no other name";
  serve(() => text(421, JSON.stringify({ error: said }), { "content-type": "application/json" }));
  const hint = "call it by its own address; a port that is forwarded needs the same number at both ends";
  const piped = await ferry(world.next({}, { stdin: "secret-key" }), "login", "--host", address, "--with-token");
  const inBrowser = await ferry(world.next({}, { tty: true }), "login", "--host", address);
  for (const { code, stderr } of [piped, inBrowser])
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(new RegExp(`^ferry: ${said} \\(GET .*: 421\\)\n  hint: ${hint}\n$`, "u")),
    ]);
  const { stdout } = await ferry(world.next(), "doctor", "--json", "--host", address);
  const rows = JSON.parse(stdout) as { name: string; says: string; hint: string }[];
  expect(rows.find(({ name }) => name === "service")).toMatchObject({ says: said, hint });
  expect(keys()).toEqual([]);
});
