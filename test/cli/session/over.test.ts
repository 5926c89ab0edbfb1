import { expect, test } from "vitest";
import { ferry } from "../../support/ferry.ts";
import { makeTestService } from "../../support/service.ts";
import { makeWorld } from "../../support/world.ts";

const url = "https://agents.example.com";

test("close says which session it was, and a message to it what helps", async () => {
  const service = await makeTestService();
  const world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key } });
  world.services.set(url, service.send);
  const call = (...argv: string[]) => ferry(world.next(), ...argv);
  await call("repo", "create", "--clone-url", "https://x.example/acme/a.git");
  const id = (await call("session", "start", "--repo", "acme/a", "--jq", ".id")).stdout.trim();
  const { stdout } = await call("session", "close", "-");
  expect(stdout).toContain(id);
  expect(stdout).toMatch(/status\W+closed/u);
  expect(stdout).toMatch(/repository\W+acme\/a\n/u);
  expect(await call("say", "--session", id, "more")).toEqual({
    code: 1,
    stdout: "",
    stderr: `ferry: the session ${id.slice(0, 12)} is closed\n  hint: start a new one: ferry run; or talk to another: --session SESSION\n`,
  });
  await service.close();
  await world.dispose();
});
