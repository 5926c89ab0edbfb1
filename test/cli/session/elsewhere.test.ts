import { expect, test } from "vitest";
import { ferry } from "../../support/ferry.ts";
import { freshRepository, useLocalService } from "../../support/local.ts";

const world = useLocalService({ env: { FERRY_HOST: "local" } });
const here = freshRepository(world, { a: "1\n" });

test("a session on another repository begins at a branch of that one, and nothing is said of what is here", async () => {
  const other = freshRepository(world, { b: "1\n" });
  other("branch", "feature");
  const made = await ferry(world.next({ cwd: other.folder }), "repo", "create", "--json");
  const { id } = JSON.parse(made.stdout) as { id: string };
  here("branch", "only-here");
  const start = (...argv: string[]) =>
    ferry(world.next({ cwd: here.folder }), "session", "start", "--model", "shell", "--repo", id, ...argv, "--json");
  const begun = await start("--base", "feature");
  expect(begun).toMatchObject({ code: 0, stderr: expect.stringContaining("\nbase: feature at its newest commit\n") as string });
  const base_commit = other("rev-parse", "HEAD");
  expect(JSON.parse(begun.stdout)).toMatchObject({ repository_id: id, base_branch: "feature", base_commit });
  expect(await start("--base", "only-here")).toMatchObject({ code: 2, stderr: expect.stringContaining("only-here") as string });
  const whole = await start();
  expect(whole.stderr).toContain("\nbase: the service's choice\n");
  expect(JSON.parse(whole.stdout)).toMatchObject({ base_commit });
});
