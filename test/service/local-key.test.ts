import { readFile, rm } from "node:fs/promises";
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
    body: JSON.parse(Buffer.from(await readBody(response, place.host.clock)).toString()) as {
      key?: { id: string };
    },
  };
}

test("the service's own key can't be revoked, over the interface neither", async () => {
  const { socket } = await place.run();
  const key = await readKey();
  const { body } = await call(socket, "GET", "/api/v1/cli", key);
  expect(await call(socket, "DELETE", `/api/v1/api-keys/${body.key?.id ?? ""}`, key)).toEqual({
    status: 409,
    body: expect.objectContaining({
      code: "own_key",
      message: expect.stringContaining("this is ferry's own key on this machine") as string,
    }) as unknown,
  });
  expect((await call(socket, "GET", "/api/v1/cli", key)).status).toBe(200);
});

test("where its file is gone the next start makes another, and the one before is a key as all are", async () => {
  const first = await place.run();
  const key = await readKey();
  const { body } = await call(first.socket, "GET", "/api/v1/cli", key);
  await first.stop();
  await rm(join(place.data, "key"));
  const { socket } = await place.run();
  expect(await readKey()).not.toBe(key);
  expect((await call(socket, "DELETE", `/api/v1/api-keys/${body.key?.id ?? ""}`, await readKey())).status).toBe(200);
  expect((await call(socket, "GET", "/api/v1/cli", key)).status).toBe(401);
  expect((await call(socket, "GET", "/api/v1/cli", await readKey())).status).toBe(200);
});

test("its page of keys has no button for it, the same at the next start", async () => {
  for (let start = 0; start < 2; start++) {
    const service = await place.run();
    const { body } = await call(service.socket, "GET", "/api/v1/cli", await readKey());
    const page = await readKeysPage();
    expect(page).toContain("ferry’s own on this machine");
    expect(page).not.toContain(body.key?.id ?? "");
    await service.stop();
  }
});

/** As a browser that was signed in with the link of the data folder. */
async function readKeysPage(): Promise<string> {
  const { portal_address } = JSON.parse(await readFile(join(place.data, "service.json"), "utf8")) as { portal_address: string };
  const code = await readFile(join(place.data, "sign-in"), "utf8");
  const signedIn = await fetch(`${portal_address}/sign-in`, {
    method: "POST",
    headers: { origin: portal_address },
    body: new URLSearchParams({ code }),
    redirect: "manual",
  });
  const [cookie = ""] = (signedIn.headers.get("set-cookie") ?? "").split(";");
  // Below the path of the sign-in, as the redirect has it.
  const own = new URL(signedIn.headers.get("location") ?? "", portal_address);
  return (await fetch(new URL("keys", own), { headers: { cookie } })).text();
}

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
