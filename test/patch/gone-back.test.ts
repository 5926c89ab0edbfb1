import { afterAll, expect, it } from "vitest";
import { undo } from "../../src/patch/undo.ts";
import { commitFiles, gitBytes, writeFile } from "../support/git.ts";
import { edited, makeConflict, refusedBy } from "../support/parking.ts";
import { makeDeps, pullInto } from "../support/pulling.ts";
import { makeScene, pullExactly, removeScenes, type Scene } from "../support/scene.ts";
import { makeTimeline } from "../support/timeline.ts";

afterAll(removeScenes);

const undoIn = ({ local }: Pick<Scene, "local">) => {
  const session = { origin: "https://agents.example.com", workspace: "wsp_1", session: "ses_1", repositoryId: "rep_1" };
  return undo({ folder: local.folder, ...session }, makeDeps());
};
const subjects = ({ local }: Scene) => local("log", "--format=%s").replaceAll("\n", " ");
const told = [expect.stringContaining("doesn't come again by itself: ferry pull --undo, then ferry pull, brings all") as string];

it("what was reset away doesn't come with what is new, which says so; undone together, all of it comes", async () => {
  const scene = makeScene();
  const { local, sandbox, source, base } = scene;
  commitFiles(sandbox, { a: "x\n" }, "one");
  commitFiles(sandbox, { a: "y\n" }, "two");
  await pullExactly(scene);
  local("reset", "--quiet", "--hard", base);
  const tip = commitFiles(sandbox, { n: "n\n" }, "three");
  expect(await pullInto(local.folder, source, { dryRun: true })).toMatchObject({ commits: [{ sequence: 3 }], notices: told });
  expect(await pullInto(local.folder, source)).toMatchObject({ applied: true, commits: [{ sequence: 3 }], notices: told });
  expect(subjects(scene)).toBe("three base");
  expect(await undoIn(scene)).toMatchObject({ to: base });
  expect(await pullInto(local.folder, source)).toMatchObject({ commits: [{}, {}, {}], notices: [] });
  expect(local("rev-parse", "HEAD")).toBe(tip);
});

it("so does what a stop in the working copy brought", async () => {
  const scene = makeConflict();
  const { local, source } = scene;
  await refusedBy(pullInto(local.folder, source, { onConflict: "here" }));
  writeFile(local, "f", edited({ 2: "both" }));
  local("add", "f");
  gitBytes(local.folder, ["-c", "core.editor=true", "cherry-pick", "--continue"]);
  expect(subjects(scene)).toBe("two one mine base");
  local("reset", "--quiet", "--hard", "HEAD~2");
  const verdict = await pullInto(local.folder, source, { shape: { exclude: ["f"] } });
  expect(verdict.notices).toContainEqual(told[0]);
  await undoIn(scene);
  expect(await refusedBy(pullInto(local.folder, source))).toMatchObject({ verdict: { commits: [{}, {}, {}, {}] } });
});

it("after an undo of all that came the next pull takes what is better than the timeline", async () => {
  const scene = makeScene();
  const { local, sandbox, source } = scene;
  const timeline = makeTimeline();
  timeline.turn("Make it", ["agent_file_create", { file_path: "n", diff: "@@ -0,0 +1 @@\n+n\n" }]);
  const tip = commitFiles(sandbox, { n: "n\n" }, "Make it");
  const from = (wanted: "events" | "auto") => pullInto(local.folder, source, { offers: { events: timeline, wanted } });
  expect(await from("events")).toMatchObject({ source: "events", exactness: "approximate" });
  expect(await from("auto")).toMatchObject({ source: "events", applied: false });
  await expect(pullInto(local.folder, source, { offers: { events: timeline }, uncommitted: true })).rejects.toMatchObject({
    kind: "attention",
    hint: expect.stringContaining("--source patches") as string,
  });
  await undoIn(scene);
  expect(await from("auto")).toMatchObject({ source: "patches", tip, exactness: "exact" });
});

it("but not while another branch has some of it", async () => {
  const scene = makeScene();
  const { local, source } = scene;
  const timeline = makeTimeline();
  timeline.turn("Make it", ["agent_file_create", { file_path: "n", diff: "@@ -0,0 +1 @@\n+n\n" }]);
  const from = (wanted: "events" | "auto") => pullInto(local.folder, source, { offers: { events: timeline, wanted } });
  local("branch", "other");
  await from("events");
  local("switch", "--quiet", "other");
  await from("auto");
  await undoIn(scene);
  expect(await from("auto")).toMatchObject({ source: "events", applied: true });
});

it.each([
  ["the last commit", "HEAD~1"],
  ["two pulls at once", "HEAD~3"],
])("what was reset away otherwise (%s) is told with the way back", async (_, to) => {
  const scene = makeScene();
  const { local, sandbox, source } = scene;
  const names = ["one", "two", "three"];
  for (const [at, name] of names.entries()) {
    commitFiles(sandbox, { [name]: "x\n" }, name);
    if (at !== 1) await pullExactly(scene);
  }
  local("reset", "--quiet", "--hard", to);
  const [nothing = ""] = (await pullInto(local.folder, source)).notices;
  expect(nothing).toMatch(/^some of what came before is no longer on this branch: git merge \w{12} brings it back$/u);
  commitFiles(sandbox, { four: "x\n" }, "four");
  const [more = ""] = (await pullInto(local.folder, source)).notices;
  const [, command = ""] =
    /doesn't come again by itself: ferry pull --undo, then git (merge \w{12}), brings it back$/u.exec(more) ?? [];
  await undoIn(scene);
  local(...command.split(" "));
  expect(subjects(scene)).toBe("three two one base");
  expect(await pullInto(local.folder, source)).toMatchObject({ commits: [{ sequence: 4 }], notices: [] });
});

it("who amended, rebased or committed on top is told nothing", async () => {
  const scene = makeScene();
  const { local, sandbox, source } = scene;
  commitFiles(sandbox, { a: "x\n" }, "one");
  commitFiles(sandbox, { n: "n\n" }, "two");
  await pullExactly(scene);
  local("commit", "--quiet", "--amend", "-m", "mine");
  expect((await pullInto(local.folder, source)).notices).toEqual([]);
  commitFiles(local, { own: "o\n" }, "own");
  commitFiles(sandbox, { m: "m\n" }, "three");
  expect((await pullInto(local.folder, source)).notices).toEqual([]);
});
