import { afterEach, beforeEach, expect, test } from "vitest";
import type { Send } from "../../../src/host/host.ts";
import { ferry } from "../../support/ferry.ts";
import { makeSeedService, type SeedService } from "../../support/seed-service.ts";
import { makeWorld, type World } from "../../support/world.ts";

const url = "https://agents.example.com";
let service: SeedService;
let world: World;
/** What is never answered. */
let hangs: (asked: string) => boolean;
beforeEach(() => {
  service = makeSeedService();
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key } });
  const send: Send = async (request) => {
    if (!hangs(`${request.method} ${new URL(request.url).pathname}`)) return service.send(request);
    return new Promise((_, reject) => {
      const { signal } = request;
      signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    });
  };
  world.services.set(url, send);
  service.sessions.push({ id: "ses_1", status: "active", agent_status: "working", created_at: "2026-01-01T00:00:00.000Z" });
});
afterEach(() => world.dispose());

test("the time to wait counts from the command's start, whatever the service doesn't answer", async () => {
  hangs = () => true;
  const told = "ferry: the time is up, and the service has not answered\n";
  expect(await ferry(world, "session", "wait", "ses_1", "--timeout", "1s")).toEqual({
    code: 8,
    stdout: "timeout\n",
    stderr: told,
  });
});

test("who reads the outcome as JSON finds it there, too, where the session wasn't found in time", async () => {
  hangs = () => true;
  const { code, stdout } = await ferry(world, "session", "wait", "ses_1", "--timeout", "1s", "--json");
  expect(code).toBe(8);
  const told = { session_id: null, outcome: "timeout", status: null, agent_status: null, exit: 8 };
  expect(JSON.parse(stdout)).toEqual(told);
});

test("an interrupt before it was found is no time-up", async () => {
  hangs = () => {
    setImmediate(() => world.interrupt());
    return true;
  };
  const { code, stdout } = await ferry(world, "session", "wait", "ses_1", "--timeout", "1h");
  expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
});

test("a message that was on its way when the time was up may have arrived", async () => {
  hangs = (asked) => asked.startsWith("POST");
  const { code, stderr } = await ferry(world, "message", "send", "ses_1", "hi", "--wait", "--timeout", "1s");
  expect({ code, stderr }).toEqual({
    code: 8,
    stderr:
      "ferry: the time is up, and the service has not answered; whether the message has arrived is not known\n" +
      "  hint: see with: ferry message list ses_1\n",
  });
});

test.each([
  ["GET /api/v1/cli", ""],
  ["POST /api/v1/sessions", "; whether the session was made is not known\n  hint: see with: ferry session list"],
  [
    "POST /api/v1/sessions/0001/messages",
    "; whether the message has arrived is not known\n  hint: see with: ferry message list 0001",
  ],
])("the time of a run counts from its start, too: nothing comes of %s", async (hanging, more) => {
  hangs = (asked) => asked === hanging;
  const { code, stderr } = await ferry(world, "run", "--pull", "none", "--timeout", "1s", "go");
  expect(code).toBe(8);
  expect(stderr.endsWith(`ferry: the time is up, and the service has not answered${more}\n`)).toBe(true);
});

test("a session whose making is interrupted may be there", async () => {
  hangs = (asked) => {
    if (asked === "POST /api/v1/sessions") setImmediate(() => world.interrupt());
    return asked.startsWith("POST");
  };
  const { code, stderr } = await ferry(world, "session", "start");
  expect(code).toBe(130);
  expect(stderr).toContain(
    "ferry: interrupted; whether the session was made is not known\n  hint: see with: ferry session list\n",
  );
});
