import { afterEach, beforeEach, expect, test } from "vitest";
import type { TimelinePart } from "../../../src/service/store/store.ts";
import { makeAsk, must } from "../../support/api.ts";
import { ferry } from "../../support/ferry.ts";
import { makeTestService, type TestService } from "../../support/service.ts";
import { makeWorld, type World } from "../../support/world.ts";

const url = "https://agents.example.com";
let world: World;
let service: TestService;
let id: string;
beforeEach(async () => {
  service = await makeTestService();
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key } });
  world.services.set(url, service.send);
  const ask = makeAsk(service);
  await must(ask, "createRepository", { body: { platform: "git", name: "a", full_name: "o/a", clone_url: "/srv/a.git" } });
  id = (await must(ask, "createSession", { body: { message: "do it" } })).id;
});
afterEach(async () => {
  await service.close();
  await world.dispose();
});

test.each([
  ["cancel", "stopped: do it\n"],
  ["close", "stopped: do it\n"],
])("%s reads no more of the timeline than its messages", async (verb, said) => {
  const { timeline } = service.store;
  const pages = timeline.pages.bind(timeline);
  const asked: unknown[] = [];
  timeline.pages = (sessionId: string, part?: TimelinePart) => {
    asked.push(part);
    return pages(sessionId, part);
  };
  expect((await ferry(world.next({}), "session", verb, id)).stderr).toBe(said);
  expect(asked).toEqual([{ type: "user_message" }]);
});
