import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ferry, type FerryResult } from "../../support/ferry.ts";
import { commitFiles, gitBytes, gitIn, makeRepository, type TestGit } from "../../support/git.ts";
import { type Json, makeSeedService, type SeedService } from "../../support/seed-service.ts";
import { makeWorld, type World } from "../../support/world.ts";

const url = "https://agents.example.com";

// A service that has only the seed's interface, and its own words for how a session stands: its timeline is over for a pull when
// it is over for whoever waits.
let world: World;
let service: SeedService;
let local: TestGit;
let session: Json;

beforeEach(() => {
  service = makeSeedService();
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key } });
  world.services.set(url, service.send);
  const up = makeRepository(join(world.folder, "up"));
  commitFiles(up, { a: "a\n", b: "b\n" }, "base");
  gitBytes(world.folder, ["clone", "--quiet", `file://${up.folder}`, "local"]);
  local = gitIn(join(world.folder, "local"));
  service.repositories.push({ id: "r1", full_name: "o/up", clone_url: up.folder, enabled: true });
  session = { id: "s1", branch_name: "fix/it", updated_at: justNow() };
  service.sessions.push(session);
  service.events.set("s1", []);
  local("config", "branch.main.ferrySession", "s1");
});
afterEach(() => world.dispose());

const justNow = (): string => new Date(world.host.clock.now()).toISOString();
const call = (...argv: readonly string[]): Promise<FerryResult> => ferry(world.next({ cwd: local.folder }), ...argv);

function add(type: string, payload: Json, status = "completed"): void {
  const events = service.events.get("s1") ?? [];
  const created_at = `2020-01-01T00:00:0${events.length}Z`;
  events.push({ id: `e${events.length}`, type, status, payload: { type, ...payload }, created_at, updated_at: justNow() });
}

function turn(file: string, status?: string): void {
  add("user_message", { message: `Change ${file}` }, status);
  add("agent_file_edit", { repository_id: "r1", file_path: file, diff: `@@ -1 +1 @@\n-${file}\n+${file.toUpperCase()}\n` });
}

const held = "the last turn may not be over yet: ";
const notices = async (...argv: readonly string[]): Promise<unknown> => {
  const { stdout } = await call(...argv, "--json");
  return (JSON.parse(stdout) as Json)["notices"];
};

describe("an agent that rests by a word of ours is done at once, whatever the session's own word is", () => {
  test.each(["open", "running", "done", "created", "ready", "completed", "in_progress", "active", "finished"])(
    "%s",
    async (status) => {
      Object.assign(session, { status, agent_status: "idle" });
      turn("a");
      expect(await call("session", "wait")).toMatchObject({ stdout: status === "finished" ? "finished\n" : "idle\n" });
      expect(await call("pull", "--source", "events")).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("Change a") as string,
      });
      expect(local("show", "HEAD:a")).toBe("A");
    },
  );
});

test("an end in the timeline counts, whatever both words are", async () => {
  Object.assign(session, { status: "over", agent_status: "gone" });
  turn("a");
  add("session_finished", { actor: { id: "u1" } });
  expect(await call("pull", "--source", "events")).toMatchObject({ code: 0 });
  expect(local("show", "HEAD:a")).toBe("A");
});

test("where both words are foreign, it is said that the last turn waits, and for what; the one before it comes", async () => {
  Object.assign(session, { status: "open", agent_status: "ready" });
  turn("a");
  const settles = `${held}it counts as over when nothing has changed for 60 s; 1 change to files comes when that is over`;
  expect(await notices("pull", "--source", "events")).toEqual([settles]);
  expect(await call("pull", "--source", "events")).toEqual({
    code: 0,
    stdout: "",
    stderr: `note: ${settles}\nnothing new from the diffs of its timeline\n`,
  });
  turn("b");
  expect(await call("pull", "--source", "events")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`note: ${settles}\n`) as string,
  });
  expect([local("show", "HEAD:a"), local("show", "HEAD:b")]).toEqual(["A", "b"]);
  // What a pull would change says it, too.
  expect(await notices("diff")).toEqual([settles]);
  expect(await call("diff")).toMatchObject({ code: 0, stderr: `note: ${settles}\nnothing new\n` });
  const later = new Date(world.host.clock.now() - 61_000).toISOString();
  for (const one of [session, ...(service.events.get("s1") ?? [])]) one["updated_at"] = later;
  expect(await call("pull")).toMatchObject({ code: 0 });
  expect(local("show", "HEAD:b")).toBe("B");
});

test.each([
  ["active", "working", "completed", "the agent is still working"],
  ["open", "idle", "queued", "a message is still queued"],
  ["active", "waiting_for_user", "completed", "the agent waits for an answer"],
  ["open", "idle", "processing", "it counts as over when nothing has changed for 60 s"],
])("%s, %s, and a message that is %s: %s", async (status, agent_status, message, why) => {
  Object.assign(session, { status, agent_status });
  turn("a", message);
  expect(await notices("pull", "--source", "events")).toEqual([`${held}${why}; 1 change to files comes when that is over`]);
});

test("--watch brings it once it is over, though nothing says so but the time", async () => {
  Object.assign(session, { status: "open", agent_status: "ready" });
  turn("a");
  const start = Date.UTC(2026, 0, 2);
  let later = 0;
  const there = world.next({ cwd: local.folder });
  const watched = { ...there, host: { ...there.host, clock: { ...there.host.clock, now: () => start + later } } };
  for (const one of [session, ...(service.events.get("s1") ?? [])]) one["updated_at"] = new Date(start).toISOString();
  const ended = ferry(watched, "pull", "--watch", "--source", "events", "s1");
  const { written } = watched.terminal;
  await expect.poll(() => written.stderr, { timeout: 10_000 }).toContain(`not pulled yet: ${held}it counts as over`);
  later = 61_000;
  await expect.poll(() => written.stdout, { timeout: 30_000 }).toMatch(/^1 commit .* from the diffs of its timeline/u);
  Object.assign(session, { status: "finished" });
  expect(await ended).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/\nthe session is finished; 1 commit came in 1 pull\n$/u) as string,
  });
  expect(written.stderr.split("not pulled yet")).toHaveLength(2);
}, 60_000);

test("a message that the service never closes is over when its agent has rested for long enough", async () => {
  Object.assign(session, { status: "open", agent_status: "idle" });
  turn("a", "processing");
  const before = new Date(world.host.clock.now() - 61_000).toISOString();
  for (const one of [session, ...(service.events.get("s1") ?? [])]) one["updated_at"] = before;
  expect(await call("pull", "--source", "events")).toMatchObject({ code: 0 });
  expect(local("show", "HEAD:a")).toBe("A");
});

test("where the timeline doesn't say what was done, the way to the branch is a command, and for a diff one that only looks", async () => {
  add("agent_rollback_uncommitted_changes", {});
  session["status"] = "finished";
  const told = "  hint: nothing was changed; take the commits from the session's branch: ferry pull --source branch";
  expect((await call("pull", "--source", "events")).stderr.trimEnd().split("\n").at(-1)).toBe(told);
  expect((await call("pull", "--source", "events", "--dry-run")).stderr.trimEnd().split("\n").at(-1)).toBe(`${told} --dry-run`);
});
