import { expect, test } from "vitest";
import { ferry } from "../../support/ferry.ts";
import { freshRepository, useLocalService } from "../../support/local.ts";

const world = useLocalService({ env: { FERRY_HOST: "local" } });
const git = freshRepository(world, { a: "1\n" });

const here = (...argv: string[]) => ferry(world.next({ cwd: git.folder }), "repo", ...argv);

test.each([["view"], ["analysis"], ["analyze"]])("%s registers nothing with the embedded service", async (verb) => {
  expect(await here(verb)).toEqual({
    code: 5,
    stdout: "",
    stderr: "ferry: the embedded service doesn't know this repository yet\n  hint: register it with: ferry repo create\n",
  });
  expect((await here("list", "--json")).stdout).toBe("[]\n");
});

test("the embedded service analyzes nothing, and doesn't say that it will", async () => {
  const { code, stdout } = await here("create");
  expect(code).toBe(0);
  expect(stdout).not.toMatch(/analysis|failed/u);
  const told = "this service can't analyze repositories";
  expect((await here("view")).stdout).toContain(`\nanalysis:       failed\nanalysis error: ${told} yet\n`);
  expect(await here("analyze")).toEqual({ code: 1, stdout: "", stderr: `ferry: ${told}\n` });
  expect(await here("analysis")).toEqual({ code: 1, stdout: "", stderr: `ferry: ${told}\n` });
});
