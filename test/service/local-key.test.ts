import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeNetwork } from "../../src/host/network.ts";
import { readBody } from "../../src/client/http/body.ts";
import { makeServicePlace, type ServicePlace } from "../support/service-host.ts";

let place: ServicePlace;
beforeEach(async () => {
  place = await makeServicePlace();
});
afterEach(() => place.leave());

const readKey = () => readFile(join(place.data, "key"), "utf8");

async function call(socket: string, method: string, path: string, key: string) {
  const response = await makeNetwork({}).overSocket(socket)({
    method,
    url: `http://localhost${path}`,
    headers: { "x-api-key": key },
  });
  return {
    status: response.status,
    body: JSON.parse(Buffer.from(await readBody(response, place.host.clock)).toString()) as { key?: { id: string } },
  };
}

test("the service's own key, once revoked, works no more; the next start makes another", async () => {
  const first = await place.run();
  const key = await readKey();
  const { body } = await call(first.socket, "GET", "/api/v1/cli", key);
  expect((await call(first.socket, "DELETE", `/api/v1/api-keys/${body.key?.id ?? ""}`, key)).status).toBe(200);
  expect((await call(first.socket, "GET", "/api/v1/cli", key)).status).toBe(401);
  await first.stop();
  const second = await place.run();
  expect(await readKey()).not.toBe(key);
  expect((await call(second.socket, "GET", "/api/v1/cli", await readKey())).status).toBe(200);
});

test("the service tells where its portal is, and that terminals can log in where the API is served there", async () => {
  const alone = await place.run();
  const told = await call(alone.socket, "GET", "/api/v1/cli", await readKey());
  expect(told.body).toMatchObject({ portal_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/u) as string });
  expect(JSON.stringify(told.body)).not.toContain('"login"');
  await alone.stop();
  const open = await place.run({ tcp: { address: "127.0.0.1", port: 0 } });
  const { body } = await call(open.socket, "GET", "/api/v1/cli", await readKey());
  expect(body).toMatchObject({ portal_url: open.address, capabilities: expect.arrayContaining(["login", "keys"]) as string[] });
});
