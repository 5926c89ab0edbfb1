import { expect, test } from "vitest";
import type { Send } from "../../../src/host/host.ts";
import { ferry } from "../../support/ferry.ts";
import { makeSeedService } from "../../support/seed-service.ts";
import { makeWorld } from "../../support/world.ts";

const url = "https://agents.example.com";

/** A service that does each write, and answers it with an address where what came of it can't be seen. */
async function run(location: string, ...args: string[]) {
  const service = makeSeedService();
  const world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key } });
  const send: Send = async (request) => {
    const answer = await service.send(request);
    return request.method === "GET" || answer.status >= 400 ? answer : { ...answer, status: 303, headers: { location } };
  };
  world.services.set(url, send);
  service.sessions.push({ id: "ses_1", status: "active", agent_status: "idle", created_at: "2026-01-01T00:00:00.000Z" });
  try {
    const result = await ferry(world, ...args);
    return { ...result, writes: service.calls.filter((call) => !call.startsWith("GET")) };
  } finally {
    await world.dispose();
  }
}

test.each([
  ["https://other.example/", "agents.example.com redirects to https://other.example; the key is not sent there", 1],
  ["javascript:alert(1)", "agents.example.com redirects somewhere that is no address; the key is not sent there", 1],
  ["blob:https://agents.example.com/1", "agents.example.com redirects somewhere that is no address; the key is not sent", 1],
  ["/gone", "not found", 6],
])("a session that is to be seen at %s may be there", async (location, why, code) => {
  const done = await run(location, "session", "start", "-m", "go");
  expect(done).toMatchObject({ code, writes: ["POST /api/v1/sessions"] });
  expect(done.stderr.toLowerCase()).toContain(why);
  expect(done.stderr).toMatch(/; whether the session was made is not known\n {2}hint: see with: ferry session list\n$/u);
});

test("any other write that is to be seen elsewhere may have been done", async () => {
  const done = await run("/gone", "session", "edit", "ses_1", "--branch", "b");
  expect(done).toMatchObject({ code: 6, writes: ["PATCH /api/v1/sessions/ses_1"] });
  expect(done.stderr).toMatch(
    /; whether it was done is not known\n {2}hint: look whether it was done before you do it again\n$/u,
  );
});
