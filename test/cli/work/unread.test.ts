import { afterEach, beforeEach, expect, test } from "vitest";
import { run } from "../../../src/cli/run.ts";
import type { SendResponse } from "../../../src/host/host.ts";
import { makeIdleClock } from "../../support/idle-clock.ts";
import { makeSeedService, type SeedService } from "../../support/seed-service.ts";
import { makeWorld, type World } from "../../support/world.ts";

const url = "https://agents.example.com";
let service: SeedService;
let world: World;

/** A service of the seed alone, whose timeline becomes no JSON after its first read, and whose session ends then. */
beforeEach(() => {
  service = makeSeedService();
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key } });
  service.sessions.push({ id: "ses_1", status: "active", agent_status: "working", created_at: "2026-01-01T00:00:00.000Z" });
  service.events.set("ses_1", [
    { id: "1", type: "user_message", status: "processing", payload: { type: "user_message", message: "go" } },
  ]);
});
afterEach(() => world.dispose());

async function follow(lasts: number, ...argv: readonly string[]) {
  const clock = makeIdleClock();
  let [reads, broken] = [0, 0];
  world.services.set(url, async (request) => {
    const answered = await service.send(request);
    if (!request.url.endsWith("/events") || reads++ === 0) return answered;
    if (++broken >= 3 && clock.elapsed() >= lasts)
      Object.assign(service.sessions[0] ?? {}, { status: "finished", agent_status: "idle" });
    return garbage();
  });
  const code = await run([...argv, "ses_1"], { ...world.host, clock });
  const { stdout, stderr } = world.terminal.written;
  return { code, stdout, stderr };
}

function garbage(): SendResponse {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('[{"id":"1","payload":{:}},{"id":"2"}]');
  }
  return { status: 200, headers: { "content-type": "application/json" }, body: bytes(), cancel: async () => undefined };
}

const told = "what the service sends can't be read, trying again: the service answered with a list that is no JSON\n";

test("tail ends with the session, and says that it doesn't have all: exit 6", async () => {
  const { code, stdout, stderr } = await follow(0, "tail");
  expect({ code, stderr }).toEqual({
    code: 6,
    stderr: `${told}ferry: the last of the timeline could not be read: the service answered with a list that is no JSON
  hint: try it again with: ferry events ses_1\n`,
  });
  expect(stdout).toContain("› go");
});

test("session wait knows how it ended by the session alone", async () => {
  expect(await follow(0, "session", "wait")).toEqual({ code: 0, stdout: "finished\n", stderr: told });
});

test("a session that goes on behind it for half an hour is waited for", async () => {
  expect(await follow(1_800_000, "session", "wait")).toEqual({ code: 0, stdout: "finished\n", stderr: told });
});

test("a timeline that can't be read from the first on is no timeline, and what it is can be looked at: exit 6", async () => {
  world.services.set(url, async (request) => (request.url.endsWith("/events") ? garbage() : service.send(request)));
  const code = await run(["tail", "ses_1"], { ...world.host, clock: makeIdleClock() });
  expect({ code, stderr: world.terminal.written.stderr }).toEqual({
    code: 6,
    stderr: `ferry: the service answered with a list that is no JSON
  hint: what it sends: ferry api GET /api/v1/sessions/ses_1/events\n`,
  });
});
