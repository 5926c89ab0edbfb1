import { afterEach, beforeEach, expect, test } from "vitest";
import { ferry } from "../../support/ferry.ts";
import { makeSeedService } from "../../support/seed-service.ts";
import { makeWorld, type World } from "../../support/world.ts";

const url = "https://agents.example.com";

let world: World;
let portal: string;
beforeEach(() => {
  const service = makeSeedService();
  portal = "https://portal.example.com/";
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key, DISPLAY: ":0" } });
  service.sessions.push({ id: "ses_1", title: "fix\u001b[2J it", created_at: "2026-01-01T00:00:00.000Z" });
  world.services.set(url, async (request) =>
    request.url === `${url}/api/v1/cli`
      ? { status: 200, headers: { "content-type": "application/json" }, body: info(), cancel: async () => undefined }
      : service.send(request),
  );
});
afterEach(() => world.dispose());

async function* info(): AsyncGenerator<Uint8Array> {
  yield Buffer.from(JSON.stringify({ service: { name: "agents", version: "1" }, portal_url: portal, capabilities: [] }));
}

const address = "https://portal.example.com/sessions/ses_1";

test("on a terminal the page is opened, and its address is on the screen", async () => {
  const there = world.next({}, { tty: true });
  expect(await ferry(there, "session", "open", "ses_1")).toEqual({
    code: 0,
    stdout: "",
    stderr: `fix␛[2J it opens in your browser:\n\n  ${address}\n\n`,
  });
  expect(world.opened).toEqual([address]);
});

test("elsewhere only the address is told", async () => {
  expect((await ferry(world.next(), "session", "open", "ses_1")).stderr).toContain(
    `nobody is here: no browser is opened):\n\n  ${address}`,
  );
  expect(await ferry(world.next(), "session", "open", "ses_1", "--json")).toEqual({
    code: 0,
    stdout: `{"session_id":"ses_1","url":"${address}"}\n`,
    stderr: "",
  });
  expect(world.opened).toEqual([]);
});

test.each(["", "javascript:alert(1)", "file:///etc/passwd", "https://"])("a portal at %j is none", async (given) => {
  portal = given;
  const there = world.next({}, { tty: true });
  expect(await ferry(there, "session", "open", "ses_1")).toEqual({
    code: 1,
    stdout: "",
    stderr: "ferry: agents.example.com has no page of a session\n  hint: see it here: ferry events ses_1\n",
  });
  expect(world.opened).toEqual([]);
});
