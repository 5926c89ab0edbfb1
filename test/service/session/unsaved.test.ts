import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { defaultLimits } from "../../../src/service/session/deps.ts";
import type { Session } from "../../../src/wire/resources.ts";
import { type EngineOptions, makeTestEngine, type TestEngine } from "../../support/engine.ts";
import { commitFiles, makeFolder, makeRepository } from "../../support/git.ts";

/** What becomes of a turn's work that can't be saved when its sandbox goes. */
let engine: TestEngine;
let folder: ReturnType<typeof makeFolder>;
let session: Session;

async function begin(options: EngineOptions = {}): Promise<void> {
  const base = commitFiles(makeRepository(folder.path), { a: "a\n" }, "first");
  engine = await makeTestEngine(options);
  session = await engine.start(await engine.register(folder.path), { base_commit: base });
}

beforeEach(() => {
  folder = makeFolder();
});
afterEach(async () => {
  await engine.close();
  folder.remove();
});

const place = (): string => join(engine.data, "sessions", session.id, "unsaved");
const said = async () =>
  (await engine.events(session)).flatMap((event) => (event.type === "system_message" ? [event.payload.message] : []));
const leftBehind = async () => (await engine.sessions.manifest(session.id, { after: "", until: "", cursor: "" })).left_behind;
const sandboxes = (): string[] => readdirSync(join(engine.data, "sandboxes"));
const kept = (): string =>
  `kept in ${place()} until you remove it, or a later turn's takes its place; run no git on it: by its settings, the agent's, that may start programs (.git is git-of-the-agent there)`;

/** A commit that git's strict check refuses: the workspace itself is sound. */
const evil = `tree=$(printf '100644 blob %s\\t.git\\n' "$(git hash-object -w a)" | git mktree)
git update-ref "$(git symbolic-ref HEAD)" "$(git commit-tree "$tree" -p HEAD -m evil)"`;

test.each([
  ["whose configuration is broken", "printf '[core' >> .git/config"],
  ["whose .git leads to itself", "mv .git real; ln -s .git .git"],
  ["that its agent shut besides", "rm -rf .git; chmod 555 ."],
])("a workspace %s is kept, and that is told", async (_, script) => {
  await begin();
  const { agent_status } = await engine.work(session, `echo precious > w; ${script}`);
  expect(agent_status).toBe("failed");
  const [told = ""] = (await said()).slice(-1);
  expect(told).toMatch(/^what it did can't be saved: git in the sandbox: /u);
  expect(told.endsWith(`; it is ${kept()}; the next message begins with a new sandbox`)).toBe(true);
  expect(readFileSync(join(place(), "w"), "utf8")).toBe("precious\n");
  expect(await leftBehind()).toBe(`the turn could not be saved: what it did is not among these commits, and kept in ${place()}`);
  expect(await engine.work(session, "echo next > next")).toMatchObject({ agent_status: "idle" });
  expect(await leftBehind()).toBeUndefined();
});

test.each([
  ["closed", () => engine.sessions.close(session.id, { outcome: "finished" }, engine.user)],
  ["given another branch", () => engine.sessions.update(session.id, { branch_name: "other" })],
  ["left by a service that stops", () => engine.sessions.stop()],
])("what couldn't be saved is kept when its session is %s", async (what, end) => {
  await begin();
  const { agent_status } = await engine.work(session, `${evil}; echo precious > w`);
  expect({ agent_status, said: await said() }).toEqual({
    agent_status: "failed",
    said: [expect.stringMatching(/^what it did can't be saved: git index-pack/u)],
  });
  await end();
  const told = [`what the last turn didn't bring home is ${kept()}`];
  if (what === "closed") told.push(`what a turn did and could not be brought home stays in ${place()}: it is yours to remove`);
  expect((await said()).slice(1)).toEqual(told);
  expect(readFileSync(join(place(), "w"), "utf8")).toBe("precious\n");
  expect(sandboxes()).toEqual([]);
});

test("in what is kept git sees no repository, whose settings would start programs", async () => {
  await begin();
  const fsmonitor = `git config core.fsmonitor 'touch ${folder.path}/PWNED; false'`;
  await engine.work(session, `git init -q nested; (cd nested; ${fsmonitor}); ${fsmonitor}; echo precious > w; : > .git/HEAD`);
  await engine.sessions.close(session.id, { outcome: "finished" }, engine.user);
  expect(readFileSync(join(place(), "w"), "utf8")).toBe("precious\n");
  for (const at of ["", "nested", "nested/git-of-the-agent"])
    expect(spawnSync("git", ["status"], { cwd: join(place(), at), encoding: "utf8" }).stderr).toMatch(/not a git repository/u);
  expect(existsSync(join(folder.path, "PWNED"))).toBe(false);
});

test("what can't be looked through for repositories is shut, and gives way to what is kept later", async () => {
  await begin();
  const deep = `mkdir deep; cd deep; for i in $(seq 60); do mkdir ${"d".repeat(200)}; cd ${"d".repeat(200)}; done`;
  await engine.work(session, `: > .git/HEAD; ${deep}`);
  await engine.sessions.update(session.id, { branch_name: "other" });
  expect((await said()).at(-1)).toMatch(/run no git on it: .* \(it is shut, mode 000: .*ENAMETOOLONG/u);
  expect(statSync(place()).mode & 0o777).toBe(0);
  await engine.work(session, ": > .git/HEAD; echo later > later");
  await engine.sessions.update(session.id, { branch_name: "third" });
  expect(readFileSync(join(place(), "later"), "utf8")).toBe("later\n");
  await expect.poll(() => readdirSync(join(engine.data, "trash"))).toEqual([]);
});

test("what is too large to come home is kept, too; what a later turn saved is not", async () => {
  await begin({ limits: { bundle: 300_000 } });
  session = await engine.sessions.update(session.id, { auto_commit: false });
  await engine.work(session, "head -c 1000000 /dev/urandom > large");
  expect(await said()).toEqual([expect.stringMatching(/^what is not committed can't be brought home \(.* 300000 bytes\)$/u)]);
  await engine.sessions.update(session.id, { branch_name: "other" });
  expect(existsSync(join(place(), "large"))).toBe(true);
  await engine.work(session, evil);
  await engine.work(session, "git reset -q --hard HEAD^; echo small > small");
  await engine.sessions.close(session.id, { outcome: "finished" }, engine.user);
  expect(existsSync(join(place(), "small"))).toBe(false);
});

test("on a disk that is full nothing is kept: the service could hardly go on", async () => {
  await begin({ limits: { spare: Number.MAX_SAFE_INTEGER } });
  expect(await engine.work(session, "echo w > w; printf '[core' >> .git/config")).toMatchObject({ agent_status: "failed" });
  expect((await said()).at(-1)).toMatch(/^what it did can't be saved: [^;]*; the next message begins with a new sandbox$/u);
  expect({ there: existsSync(place()), sandboxes: sandboxes() }).toEqual({ there: false, sandboxes: [] });
  expect(await engine.work(session, "echo next > next")).toMatchObject({ agent_status: "idle" });
});

test("what fills the disk is not kept", async () => {
  await begin({ limits: { saving: 1500, sandbox: { ...defaultLimits.sandbox, memoryMB: 1024, diskMB: 4 } } });
  await engine.post(session, "rm -rf .git; head -c 20000000 /dev/zero > big; sleep 1000");
  await engine.until(session, (item) => item.type === "session" && item.session.agent_status === "failed");
  expect((await said()).at(-1)).toMatch(/limit \(disk\); what it did can't be saved: .*; the next message begins/u);
  expect({ there: existsSync(place()), sandboxes: sandboxes() }).toEqual({ there: false, sandboxes: [] });
});
