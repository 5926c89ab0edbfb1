import { afterEach, beforeEach, expect, test } from "vitest";
import { ferry } from "../../support/ferry.ts";
import { makeTestService, type TestService } from "../../support/service.ts";
import { makeWorld, type World } from "../../support/world.ts";

const url = "https://agents.example.com";

let world: World;
let service: TestService;
beforeEach(async () => {
  service = await makeTestService();
  world = makeWorld({ env: { FERRY_API_KEY: service.key } });
  world.services.set(url, service.send);
});
afterEach(async () => {
  await service.close();
  await world.dispose();
});

/** What was said to be waited for, each with whether the command took it from the screen. */
async function waits(tty: boolean, ...argv: readonly string[]): Promise<(readonly [string, boolean])[]> {
  const there = world.next({}, { tty });
  const said: { text: string; stopped: boolean }[] = [];
  const spin = (text: string) => {
    const shown = { text, stopped: false };
    said.push(shown);
    return { update: () => undefined, stop: () => void (shown.stopped = true) };
  };
  const terminal = { ...there.terminal, spin };
  expect((await ferry({ ...there, host: { ...there.host, terminal } }, ...argv, "--host", url)).code).toBe(0);
  return said.map(({ text, stopped }) => [text, stopped] as const);
}

test.each([["session", "list"], ["whoami"]])("%s %s: a person is told what is waited for, a script isn't", async (...argv) => {
  const told = await waits(true, ...argv);
  expect(new Set(told.map(String))).toEqual(new Set(["waiting for agents.example.com,true"]));
  expect(await waits(false, ...argv)).toEqual([]);
  expect(await waits(true, ...argv, "--quiet")).toEqual([]);
});
