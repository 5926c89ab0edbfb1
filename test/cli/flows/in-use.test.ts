import { afterEach, beforeEach, expect, test } from "vitest";
import { ferry } from "../../support/ferry.ts";
import { makeTestService, type TestService } from "../../support/service.ts";
import { makeWorld, type World } from "../../support/world.ts";

const url = "https://agents.example.com";

let world: World;
let service: TestService;
beforeEach(async () => {
  service = await makeTestService();
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key, GITLAB_TOKEN: "glpat-abcdefghijkl1234" } });
  world.services.set(url, service.send);
});
afterEach(async () => {
  await service.close();
  await world.dispose();
});

const call = (...argv: readonly string[]) => ferry(world.next(), ...argv);

test("what needs one that is to be deleted is told, with the command that lets go of it", async () => {
  await call("provider", "create", "--name", "work", "--token-env", "GITLAB_TOKEN");
  await call("repo", "create", "--clone-url", "https://gitlab.com/acme/a.git", "--provider", "work");
  const refused = async (...argv: string[]) => {
    const { code, stderr } = await call(...argv, "--host", url);
    return [code, ...stderr.trimEnd().split("\n").slice(1)];
  };
  expect(await refused("provider", "delete", "work", "--yes")).toEqual([
    1,
    expect.stringMatching(/^ {2}rep_\w+ {2}acme\/a$/u),
    `  hint: ferry repo delete acme/a --host ${url}`,
  ]);
  const ids: string[] = [];
  for (let at = 0; at < 10; at++)
    ids.unshift((await call("session", "start", "--repo", "acme/a", "-m", "go", "--jq", ".id")).stdout.trim());
  const told = await refused("repo", "delete", "acme/a", "--yes");
  expect(told.slice(0, 2)).toEqual([1, expect.stringMatching(`^  ${ids[0]}  \\S+ {2}active {2}–$`)]);
  expect(told.slice(-2)).toEqual([
    `  and 2 others: ferry session list --status active --repo acme/a --host ${url}`,
    `  hint: ferry session close ${ids[0]?.slice(0, 12)} --host ${url}, and so the others`,
  ]);
  for (const id of ids) await call("session", "close", id, "--yes");
  expect((await call("repo", "delete", "acme/a", "--yes")).code).toBe(0);
  expect((await call("provider", "delete", "work", "--yes")).code).toBe(0);
});
