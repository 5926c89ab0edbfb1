import { afterAll, expect, it } from "vitest";
import { commitFiles, writeFile } from "../../support/git.ts";
import { parkedTree, refusedBy, resume } from "../../support/parking.ts";
import { pullInto } from "../../support/pulling.ts";
import { makeScene, removeScenes } from "../../support/scene.ts";
import { makeTimeline } from "../../support/timeline.ts";

afterAll(removeScenes);

const edit = (path: string, diff: string) => ["agent_file_edit", { file_path: path, diff }] as const;

it("a parked pull of a timeline keeps what its cursor is to be, whatever gc takes meanwhile", async () => {
  const { local, base } = makeScene();
  const timeline = makeTimeline(base);
  timeline.turn("two", edit("a", "@@ -1,3 +1,3 @@\n 1\n-2\n+zwei\n 3\n"));
  timeline.turn("more", edit("b", "@@ -1 +1 @@\n-b\n+B\n"));
  commitFiles(local, { a: "1\nmine\n3\n" });
  await refusedBy(pullInto(local.folder, undefined, { offers: { events: timeline }, onConflict: "park" }));
  const tree = parkedTree(local);
  writeFile(tree, "a", "1\nboth\n3\n");
  tree("add", "a");
  local("gc", "--quiet", "--prune=now");
  await resume(local.folder, "continue");
  expect(local("show", "HEAD:b")).toBe("B");
  expect(await pullInto(local.folder, undefined, { offers: { events: timeline } })).toMatchObject({
    applied: false,
    commits: [],
  });
});
