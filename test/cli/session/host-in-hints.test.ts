import { afterEach, beforeEach, expect, test } from "vitest";
import type { Send } from "../../../src/host/host.ts";
import { ferry } from "../../support/ferry.ts";
import { makeSeedService, type SeedService } from "../../support/seed-service.ts";
import { makeWorld, type World } from "../../support/world.ts";

const url = "https://agents.example.com";
let service: SeedService;
let world: World;
/** Asked for, it is not answered, and the user presses Ctrl-C. */
let hanging: string;
beforeEach(() => {
  service = makeSeedService();
  hanging = "";
  world = makeWorld({ env: { FERRY_API_KEY: service.key } });
  const send: Send = async (request) => {
    if (`${request.method} ${new URL(request.url).pathname}` !== hanging) return service.send(request);
    setImmediate(() => world.interrupt());
    return new Promise((_, reject) => {
      const { signal } = request;
      signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    });
  };
  world.services.set(url, send);
});
afterEach(() => world.dispose());

/** How it ends, by what is written last. */
async function lastLine(agent: string, ...argv: string[]): Promise<string> {
  service.sessions.push({ id: "ses_1", status: "active", agent_status: agent, created_at: "2026-01-01T00:00:00.000Z" });
  const { stderr } = await ferry(world, ...argv, "--host", url);
  return stderr.trimEnd().split("\n").at(-1) ?? "";
}

test.each<[agent: string, argv: string[], hint: string]>([
  ["working", ["session", "wait", "ses_1", "--timeout", "1s"], "follow it with: ferry tail ses_1"],
  ["waiting_for_user", ["session", "wait", "ses_1"], "ferry say --session ses_1"],
  ["failed", ["session", "wait", "ses_1"], "what happened: ferry events ses_1"],
  ["idle", ["session", "open", "ses_1"], "see it here: ferry events ses_1"],
])("what is named as the next step asks the host that --host named: %s, %j", async (agent, argv, hint) => {
  expect(await lastLine(agent, ...argv)).toBe(`  hint: ${hint} --host ${url}${agent === "waiting_for_user" ? " TEXT" : ""}`);
});

test.each<[asked: string, argv: string[], hint: string]>([
  ["GET /api/v1/sessions/ses_1/events", ["tail", "ses_1"], "ferry tail ses_1"],
  ["POST /api/v1/sessions/ses_1/messages", ["message", "send", "ses_1", "go"], "ferry message list ses_1"],
  ["POST /api/v1/sessions", ["session", "start"], "ferry session list"],
])("and so after Ctrl-C at %s", async (asked, argv, hint) => {
  hanging = asked;
  expect(await lastLine("working", ...argv)).toContain(`${hint} --host ${url}`);
});

test.each([
  [["session", "view", "ses_none"], "see ferry session list"],
  [["message", "list", "ses_none"], "see ferry session list"],
  [["provider", "view", "none"], "ferry provider list"],
  [["repo", "view", "none"], "ferry repo list"],
])("and where nothing is found: %j", async (argv, hint) => {
  expect(await lastLine("idle", ...argv)).toBe(`  hint: ${hint} --host ${url}`);
});
