import { afterEach, beforeEach, expect, test } from "vitest";
import { ferry } from "../../support/ferry.ts";
import { makeTestService, type TestService } from "../../support/service.ts";
import { makeWorld, type World } from "../../support/world.ts";

const url = "https://agents.example.com";

let service: TestService;
let world: World;
beforeEach(async () => {
  service = await makeTestService();
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key } });
  world.services.set(url, service.send);
});
afterEach(async () => {
  await service.close();
  await world.dispose();
});

const call = (...argv: string[]) => ferry(world.next(), ...argv);

test("close asks on a terminal before it stops a turn", async () => {
  await call("repo", "create", "--clone-url", "https://x.example/acme/a.git");
  const id = (await call("session", "start", "--repo", "acme/a", "-m", "do it", "--jq", ".id")).stdout.trim();
  const asking = world.next({}, { tty: true });
  asking.prompt.expect("The agent is at work.", false);
  expect(await ferry(asking, "session", "close", id)).toMatchObject({ code: 130 });
  expect(asking.prompt.open).toEqual([]);
  expect((await call("session", "view", id, "--jq", ".status, .agent_status")).stdout).toBe("active\nworking\n");
});

test("close says which session it was, and a message to it what helps", async () => {
  await call("repo", "create", "--clone-url", "https://x.example/acme/a.git");
  const id = (await call("session", "start", "--repo", "acme/a", "--jq", ".id")).stdout.trim();
  const { stdout } = await call("session", "close", "-");
  expect(stdout).toContain(id);
  expect(stdout).toMatch(/status\W+closed/u);
  expect(stdout).toMatch(/repository\W+acme\/a\n/u);
  expect(await call("say", "--session", id, "more")).toEqual({
    code: 1,
    stdout: "",
    stderr: `ferry: the session ${id.slice(0, 12)} is closed\n  hint: start a new one: ferry run; or talk to another: ferry say --session SESSION TEXT\n`,
  });
});
