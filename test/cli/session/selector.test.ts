import { afterEach, beforeEach, expect, test } from "vitest";
import { ferry } from "../../support/ferry.ts";
import { makeSeedService, type SeedService } from "../../support/seed-service.ts";
import { makeWorld, type World } from "../../support/world.ts";

const url = "https://agents.example.com";

let world: World;
let service: SeedService;
beforeEach(() => {
  service = makeSeedService();
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key } });
  world.services.set(url, service.send);
  service.sessions.push({ id: "ses_abcd1111", branch_name: "fix/login" });
});
afterEach(() => world.dispose());

const view = (noun: string, given: string) => ferry(world.next(), noun, "view", given);
const rule = "the start of an id is 4 characters or more, its prefix not counted";

test.each(["s", "ses_", "ses_abc", "ab…1111"])("what is too short for the start of an id is told as that: %s", async (given) => {
  const { code, stderr } = await view("session", given);
  expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining(`; ${rule}`) as string });
});

test.each(["ses_abce", "abce", "nothing"])("and what is long enough is not: %s", async (given) => {
  const { code, stderr } = await view("session", given);
  expect({ code, stderr }).toEqual({ code: 5, stderr: expect.not.stringContaining("characters") as string });
});

test.each(["session", "repo", "provider"])("%s: what is far too long names none, and is told by its start", async (noun) => {
  const { code, stderr } = await view(noun, "x".repeat(20_000));
  expect(code).toBe(5);
  expect(stderr).toMatch(/^ferry: agents\.example\.com has no [a-z]+ "?x{99}…"?\n/u);
  expect(stderr.length).toBeLessThan(400);
  // Whose address it would be in the service's is asked for by none.
  expect(service.calls.filter((call) => call.includes("xxx"))).toEqual([]);
});
