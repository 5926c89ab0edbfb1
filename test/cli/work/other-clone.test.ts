import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { ferry } from "../../support/ferry.ts";
import { commitFiles, gitIn, makeRepository, type TestGit } from "../../support/git.ts";
import { freshRepository, useLocalService } from "../../support/local.ts";
import { type World } from "../../support/world.ts";

const world = useLocalService();
let git: TestGit;
beforeEach(() => {
  git = freshRepository(world, { "a.txt": "a\n" });
});

const here = (): World => world.next({ cwd: git.folder });

test("a session of another repository is refused", async () => {
  const { stdout } = await ferry(here(), "run", "--json", "--pull", "none", "echo x > x");
  const { session } = JSON.parse(stdout.split("\n")[0] ?? "") as { session: { id: string } };
  git = makeRepository(join(world.folder, "other"));
  commitFiles(git, { "a.txt": "another\n" }, "first");
  const { code, stderr } = await ferry(here(), "pull", session.id);
  expect(code).toBe(3);
  expect(stderr).toContain("which this working copy is not of");
});

test("a clone that is behind is told what it lacks, and one that has it gets the commits", async () => {
  const behind = join(world.folder, "behind");
  git("clone", "-q", ".", behind);
  commitFiles(git, { "b.txt": "newer\n" }, "newer");
  const { stdout } = await ferry(here(), "run", "--json", "--pull", "none", "echo x > x");
  const { session } = JSON.parse(stdout.split("\n")[0] ?? "") as { session: { id: string } };
  git = gitIn(behind);
  const refused = await ferry(here(), "pull", session.id);
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining("clone of the same: git fetch;") as string });
  git("pull", "-q");
  const pulled = await ferry(here(), "pull", session.id);
  expect(pulled).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/note: this is another clone than local\/\S+, but/u) as string,
  });
});
