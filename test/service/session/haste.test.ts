import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../src/host/clock.ts";
import { findMembers } from "../../../src/service/sandbox/processes/members.ts";
import { defaultLimits, type SessionLimits } from "../../../src/service/session/deps.ts";
import { layout } from "../../../src/service/session/repository/layout.ts";
import type { Session } from "../../../src/wire/resources.ts";
import { driverNamed, makeTestEngine, type TestEngine } from "../../support/engine.ts";
import { commitFiles, makeFolder, makeRepository } from "../../support/git.ts";
import { machine } from "../../support/sandbox.ts";
import { makeDrivers } from "../../../src/service/sandbox/registry.ts";
import { scriptedAgent } from "../../support/scripted-agent.ts";

const hour = 3_600_000;

/** A filter that git waits in once it is armed. What was changed in the future is read at each look. */
const plant =
  "echo '* filter=x' > .gitattributes; git config filter.x.required true; " +
  `git config filter.x.clean '[ ! -e "$HOME/armed" ] || sleep 1000; cat'; echo hi > new; touch -d 2099-01-01 new`;
const armed = `${plant}; touch ~/armed`;

let engine: TestEngine;
let folder: ReturnType<typeof makeFolder>;
let session: Session;
/** By how much the clock is ahead of the machine's, in ms. */
let ahead: number;
const clock = { ...systemClock, elapsed: () => systemClock.elapsed() + ahead };

async function begin(limits: Partial<SessionLimits>): Promise<void> {
  const base = commitFiles(makeRepository(folder.path), { a: "a\n" }, "first");
  const driver = makeDrivers({ ...machine, clock }).find(({ name }) => name === "process") ?? driverNamed("process");
  engine = await makeTestEngine({ driver, clock, limits, ...scriptedAgent(folder.path, false) });
  session = await engine.start(await engine.register(folder.path), { base_commit: base, model: "claude" });
}

beforeEach(() => {
  folder = makeFolder();
  ahead = 0;
});
afterEach(async () => {
  await engine.close();
  folder.remove();
});

const said = async () =>
  (await engine.events(session)).flatMap((event) => (event.type === "system_message" ? [event.payload.message] : []));

const living = () => findMembers({ roots: [], labelled: layout.sandboxes(engine.data) });

const ended = (status: string) =>
  engine.until(session, (item) => item.type === "session" && item.session.agent_status === status);

test("what is committed comes home where a look at the files never ends, and the rest is told", async () => {
  await begin({ saving: 9000 });
  await engine.post(session, `run echo x > x; git add x; git commit -qm x; ${armed}; touch ~/ready; sleep 1000`);
  const { id } = await untilSandbox();
  await expect.poll(() => engine.deps.host.files.status(join(homeOf(id), "ready"))).toBeDefined();
  const after = await engine.sessions.cancel(session.id, { queued: false });
  expect({ ...after, head_commit: after.head_commit !== session.base_commit }).toMatchObject({
    agent_status: "idle",
    head_commit: true,
  });
  expect(await said()).toContain("what it changed last in files isn't saved: looking at the files took longer than 6 s");
});

test("what the last look didn't reach is kept when its sandbox goes, though what it saw before came home", async () => {
  await begin({ saving: 1500 });
  await engine.post(session, `run ${armed}; echo precious > w; touch ~/ready; sleep 1000`);
  const { id } = await untilSandbox();
  await expect.poll(() => engine.deps.host.files.status(join(homeOf(id), "ready"))).toBeDefined();
  await engine.sessions.cancel(session.id, { queued: false });
  expect((await said()).at(-1)).toMatch(/^what it changed last in files isn't saved: /u);
  await engine.sessions.close(session.id, { outcome: "finished" }, engine.user);
  expect((await said()).at(-1)).toMatch(/stays in .*unsaved: it is yours to remove$/u);
  expect(readFileSync(join(engine.data, "sessions", session.id, "unsaved", "w"), "utf8")).toBe("precious\n");
});

test("a disk that is over its limit is told, saving is short, and what it held goes with its sandbox", async () => {
  await begin({ saving: 3000, sandbox: { ...defaultLimits.sandbox, memoryMB: 1024, diskMB: 4 } });
  await engine.post(session, `run ${armed}; head -c 20000000 /dev/zero > big; sleep 1000`);
  await ended("failed");
  expect(await said()).toEqual([
    "what it changed last in files isn't saved: looking at the files took longer than 1 s",
    "the sandbox reached its limit (disk); the next message begins with a new sandbox",
  ]);
  expect(await engine.deps.host.files.list(layout.sandboxes(engine.data))).toEqual([]);
  expect(await engine.work(session, "run ! test -e big")).toMatchObject({ agent_status: "idle" });
});

/** A sandbox that is over its wall time at rest, with a look that never ends; its message is posted. */
async function enterOld(saving: number): Promise<void> {
  await begin({ saving, sandbox: { ...defaultLimits.sandbox, memoryMB: 1024, wall: hour } });
  const { sandbox_id = "" } = await engine.work(session, `run ${plant}`);
  writeFileSync(join(homeOf(sandbox_id), "armed"), "");
  ahead = 2 * hour;
  await expect.poll(() => living().length, { timeout: 20_000 }).toBe(0);
  await engine.post(session, "run echo next > next");
}

test("a message to a sandbox over its limit begins with a new one, whatever the old one's look waits for", async () => {
  await enterOld(1500);
  await ended("idle");
  expect((await said()).slice(0, 1)).toEqual([
    "what the last turn didn't bring home can't be saved: looking at the files took longer than 1 s",
  ]);
});

test("one can be stopped there, and the service too", async () => {
  await enterOld(3000);
  expect(await engine.sessions.cancel(session.id, { queued: true })).toMatchObject({ agent_status: "idle" });
  expect(engine.sessions.busy()).toBe(false);
});

test("a service's end waits for it no longer either", async () => {
  await enterOld(3000);
  await engine.sessions.stop();
  expect(engine.log).toEqual([]);
  expect(living()).toEqual([]);
});

const homeOf = (sandbox: string): string => join(layout.sandboxes(engine.data), sandbox, "home");

async function untilSandbox(): Promise<{ id: string }> {
  const items = await engine.until(session, (item) => item.type === "session" && item.session.sandbox_id !== undefined);
  const last = items.at(-1);
  return { id: last?.type === "session" ? (last.session.sandbox_id ?? "") : "" };
}
