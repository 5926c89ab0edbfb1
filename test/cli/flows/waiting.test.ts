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
async function waits(tty: boolean, code: number, ...argv: readonly string[]): Promise<(readonly [string, boolean])[]> {
  const there = world.next({}, { tty });
  const said: { text: string; stopped: boolean }[] = [];
  const spin = (text: string) => {
    const shown = { text, stopped: false };
    said.push(shown);
    return { update: () => undefined, stop: () => void (shown.stopped = true) };
  };
  const terminal = { ...there.terminal, spin };
  expect((await ferry({ ...there, host: { ...there.host, terminal } }, ...argv, "--host", url)).code).toBe(code);
  return said.map(({ text, stopped }) => [text, stopped] as const);
}

const commands: readonly (readonly [argv: string, code: number])[] = [
  ["session list", 0],
  // There is none, which has to be asked for, too.
  ["session view -", 5],
  ["repo list", 0],
  ["provider list", 0],
  ["key list", 0],
  // This service has none, and says so when it is asked.
  ["schedule list", 1],
  ["whoami", 0],
  ["auth status", 0],
  // What is changed is waited for, too.
  ["api POST sessions/ses_none/messages -f message=x", 5],
];

test.each(commands)("%s: a person is told what is waited for, a script isn't", async (line, code) => {
  const argv = line.split(" ");
  const told = await waits(true, code, ...argv);
  expect(new Set(told.map(String))).toEqual(new Set(["waiting for agents.example.com,true"]));
  expect(await waits(false, code, ...argv)).toEqual([]);
  expect(await waits(true, code, ...argv, "--quiet")).toEqual([]);
});
