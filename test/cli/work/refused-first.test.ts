import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeGit } from "../../../src/git/runner.ts";
import { findWorkingCopy } from "../../../src/patch/preconditions.ts";
import { ferry } from "../../support/ferry.ts";
import { commitFiles, makeRepository, type TestGit } from "../../support/git.ts";
import { makeSeedService, type SeedService } from "../../support/seed-service.ts";
import { makeWorld, type World } from "../../support/world.ts";

const url = "https://agents.example.com";

let world: World;
let service: SeedService;
let git: TestGit;

beforeEach(() => {
  service = makeSeedService();
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key } });
  world.services.set(url, service.send);
  git = makeRepository(join(world.folder, "repo"));
  commitFiles(git, { a: "a" });
});
afterEach(async () => {
  expect(service.calls).toEqual([]);
  await world.dispose();
});

test.each([
  [["run", "-F", "/"], "can't read /: "],
  [["run", "-F", "no\nsuch"], "there is no file no such"],
  [["session", "start", "-F", "missing"], "there is no file missing"],
  [["say", "-F", "/"], "can't read /: "],
  [["api", "POST", "sessions", "--input", "/"], "can't read /: "],
  [["api", "POST", "sessions", "-F", "title=@/"], "can't read /: "],
])("%j: a file that can't be read is exit 2 and named", async (argv, says) => {
  const { code, stderr } = await ferry(world.next({ cwd: git.folder }), ...argv);
  expect(code).toBe(2);
  expect(stderr.startsWith(`ferry: ${says}`)).toBe(true);
});

test.each([
  ["run", "-F"],
  ["session", "start", "-F"],
  ["say", "-F"],
  ["message", "send", "s1", "-F"],
  ["schedule", "create", "nightly", "--every", "1d", "-F"],
])("%j: a text with a NUL in it, which no service can keep, is exit 2 before anything is made", async (...argv) => {
  writeFileSync(join(git.folder, "nul"), "do it\0 now\n");
  const { code, stderr } = await ferry(world.next({ cwd: git.folder }), ...argv, "nul");
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(/^ferry: the [a-z ]+ has a NUL byte in it\n {2}hint: is it a file of text\?\n$/u) as string,
  });
});

const pulling = [
  ["run", "do it"],
  ["session", "start", "-m", "do it", "--follow", "--pull", "end"],
];

test.each(pulling)("%s: where GIT_DIR names another repository, no session is made", async (...argv) => {
  const other = makeRepository(join(world.folder, "other"));
  const there = world.next({ cwd: git.folder, env: { GIT_DIR: join(other.folder, ".git") } });
  const { code, stderr } = await ferry(there, ...argv);
  expect(code).toBe(3);
  expect(stderr).toMatch(/^ferry: GIT_DIR names another repository .*\n {2}hint: unset GIT_DIR/u);
});

test("an empty GIT_DIR names none", async () => {
  const found = await findWorkingCopy(makeGit(world.host), { folder: git.folder }, { env: { GIT_DIR: "" } });
  expect(found.workTree).toBe(git.folder);
});

test.each(pulling)("%s: in a bare repository no session is made", async (...argv) => {
  git("config", "core.bare", "true");
  const { code, stderr } = await ferry(world.next({ cwd: join(git.folder, ".git") }), ...argv);
  expect(code).toBe(3);
  expect(stderr).toMatch(/^ferry: this repository is bare/u);
});
