import { expect, test } from "vitest";
import type { Client } from "../../../src/client/client.ts";
import { forgetfulMemory } from "../../../src/client/memory.ts";
import type { ClientOptions } from "../../../src/client/options.ts";
import { makeTestClient } from "../../support/client.ts";
import { makeIdleClock } from "../../support/idle-clock.ts";
import { makeScriptedSend, type Step } from "../../support/scripted-send.ts";

const params = { sessionId: "ses_1" };
const session = { body: { id: "ses_1" } };

function play(steps: readonly Step[], change: Partial<ClientOptions> = {}) {
  const script = makeScriptedSend(...steps);
  return { client: makeTestClient(script.send, { clock: makeIdleClock(), ...change }), ...script };
}

const read = (client: Client) => client.readSession({ params });
const write = (client: Client) => client.sendMessage({ params, body: { message: "hi" } });
const to = (location: string, status = 307): Step => ({ status, headers: { location } });

test("a redirect within the origin is followed with the key, a write only by 307 and 308", async () => {
  const { client, asked } = play([to("/elsewhere"), to("http://localhost/again", 308), session]);
  await write(client);
  expect(asked.map(({ method, url, headers }) => [method, url, headers["x-api-key"]])).toEqual(
    ["/api/v1/sessions/ses_1/messages", "/elsewhere", "/again"].map((path) => [
      "POST",
      `http://localhost${path}`,
      "key-of-a-test",
    ]),
  );
  await expect(write(play([to("/elsewhere", 302)]).client)).rejects.toMatchObject({ kind: "failure" });
  await expect(read(play([to("/elsewhere", 302), session]).client)).resolves.toEqual({ id: "ses_1" });
});

test.each(["https://localhost/", "http://localhost:8080/", "http://evil.example/", "//evil.example/"])(
  "a redirect to %s is not followed: the key stays here",
  async (location) => {
    const { client, asked, open } = play([to(location)]);
    await expect(read(client)).rejects.toMatchObject({
      kind: "failure",
      message: expect.stringContaining("the key is not sent there") as string,
    });
    expect([asked.length, open()]).toEqual([1, 0]);
  },
);

test("a redirect of a write by 303 says that it is done: what follows is read, and only that is tried again", async () => {
  const done = play([to("/made", 303), { status: 429 }, { lost: { sent: true } }, { status: 502 }, session]);
  expect(await write(done.client)).toEqual(session.body);
  expect(done.asked.map(({ method, url, body }) => [method, url, body])).toEqual([
    ["POST", "http://localhost/api/v1/sessions/ses_1/messages", '{"message":"hi"}'],
    ...Array<unknown>(4).fill(["GET", "http://localhost/made", undefined]),
  ]);
  expect(done.open()).toBe(0);
});

test("a redirect of a write by 303 isn't sent again with the other form of the key", async () => {
  const { client, asked } = play([to("/made", 303), { status: 401 }, session]);
  await write(client);
  expect(asked.map(({ method }) => method)).toEqual(["POST", "GET", "GET"]);
});

test("a redirect of a write by 303 tells of what goes wrong behind it that it may have been done", async () => {
  const behind = [401, 404, 425, 429, 500].map((status): Step => ({ status, body: { error: "no" } }));
  for (const step of [...behind, { body: "<html>" }, { lost: { sent: false } }, to("https://evil.example/", 307)]) {
    const { client, asked, open } = play([to("/made", 303), ...(Array(20).fill(step) as Step[])]);
    await expect(write(client)).rejects.toMatchObject({ doubt: "whether it was done is not known" });
    expect([asked.filter(({ method }) => method === "POST").length, open()]).toEqual([1, 0]);
  }
});

test("what goes wrong behind a 303 is that of the look, and asks for no other scope", async () => {
  const behind = (status: number) => write(play([to("/see/key-of-a-test?x=1", 303), { status, body: { error: "no" } }]).client);
  const hint = "look whether it was done before you do it again";
  const asked = "GET /see/%3Credacted%3E: 404";
  await expect(behind(404)).rejects.toMatchObject({ kind: "unavailable", message: "no", asked, hint });
  await expect(behind(403)).rejects.toMatchObject({ kind: "auth", hint });
  await expect(behind(300)).rejects.toThrow("localhost answered GET /see/<redacted> with 300, which says nothing");
});

test("a 404 behind a 303 says nothing of what the service can", async () => {
  const memory = forgetfulMemory();
  await memory.set("capabilities", ["cancel"]);
  const { client } = play([to("/see", 303), { status: 404 }, { status: 404 }], { memory });
  const close = () => client.closeSession({ params, body: { outcome: "closed" } });
  await expect(close()).rejects.toMatchObject({ status: 404 });
  expect(await memory.get("capabilities")).toEqual(["cancel"]);
  await expect(close()).rejects.toMatchObject({ status: 404 });
  expect(await memory.get("capabilities")).toBeUndefined();
});

test("a redirect of a write that isn't followed, or an answer to it that can't be read, leaves open whether it was done", async () => {
  const doubt = "whether it was done is not known";
  const astray = [302, 303, 307].map((status) => to("https://evil.example/", status));
  for (const step of [...astray, to("/login", 302), { body: "<html>" }, { status: 201, body: "{}", cut: true }])
    await expect(write(play([step]).client)).rejects.toMatchObject({ doubt });
  await expect(write(play(Array(6).fill(to("/a")) as Step[]).client)).rejects.toMatchObject({ doubt });
  for (const status of [400, 429])
    await expect(write(play([{ status }], { patience: 0 }).client)).rejects.toMatchObject({ doubt: undefined });
  await expect(read(play([to("https://evil.example/")]).client)).rejects.toMatchObject({ doubt: undefined });
});

test("a write that is sent back to where it was isn't sent there once more", async () => {
  const { client, asked } = play(Array(6).fill(to("/api/v1/sessions/ses_1/messages")) as Step[]);
  await expect(write(client)).rejects.toMatchObject({ doubt: "whether it was done is not known" });
  expect(asked).toHaveLength(1);
});

test("a redirect in a circle ends", async () => {
  await expect(read(play(Array(6).fill(to("/a")) as Step[]).client)).rejects.toThrow("localhost redirects in a circle");
});
