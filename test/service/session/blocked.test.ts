import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../src/host/clock.ts";
import type { Clock } from "../../../src/host/host.ts";
import type { Session } from "../../../src/wire/resources.ts";
import { makeTestEngine, type TestEngine } from "../../support/engine.ts";
import { commitFiles, makeFolder, makeRepository } from "../../support/git.ts";

// A pipe that nobody finds before: git waits there for who would write to it, and so would whoever waits for git.
const plant = "mkfifo pipe; echo x > x; git config include.path ../pipe";

/** What the service waited out, in ms. */
const slept: number[] = [];
const clock: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms, signal).then(() => void slept.push(ms)) };

let engine: TestEngine;
let folder: ReturnType<typeof makeFolder>;
let session: Session;

async function begin(saving: number): Promise<void> {
  const base = commitFiles(makeRepository(folder.path), { a: "a\n" }, "first");
  engine = await makeTestEngine({ clock, limits: { saving } });
  session = await engine.start(await engine.register(folder.path), { base_commit: base });
}

beforeEach(() => {
  folder = makeFolder();
});
afterEach(async () => {
  await engine.close();
  folder.remove();
});

const commandIs = (status: string) =>
  engine.until(
    session,
    (item) => item.type === "session_event" && item.event.type === "agent_run_repository_command" && item.event.status === status,
  );

const ready = () =>
  engine.until(session, (item) => item.type === "session_event" && JSON.stringify(item.event).includes("ready\\n"));

test.each([
  { when: "while its script runs", script: `${plant}; sleep 1000`, status: "processing" },
  { when: "while it is saved", script: plant, status: "completed" },
])("a turn that blocks git can be stopped $when, and the next message has a sandbox of its own", async (turn) => {
  await begin(500);
  await engine.post(session, turn.script);
  await commandIs(turn.status);
  // Failed where what it did could not be saved any more.
  const { agent_status } = await engine.sessions.cancel(session.id, { queued: false });
  expect(["idle", "failed"]).toContain(agent_status);
  expect(engine.sessions.busy()).toBe(false);
  const after = await engine.work(session, "cat a > b");
  expect(after.head_commit).not.toBe(session.base_commit);
});

test("a turn that blocks git doesn't hold up the service's end", async () => {
  await begin(500);
  await engine.post(session, plant);
  await commandIs("completed");
  await engine.close();
  expect(engine.sessions.busy()).toBe(false);
});

test("where saving can't be quick, that is told", async () => {
  await begin(4000);
  await engine.post(session, `${plant}; echo ready; sleep 1000`);
  await ready();
  await engine.sessions.cancel(session.id, { queued: false });
  expect((await said())[0]).toBe("stopped; what it did is being saved");
});

const said = async () =>
  (await engine.events(session)).flatMap((event) => (event.type === "system_message" ? [event.payload.message] : []));
const pipe = (path: string): string => `mkdir -p d .git/info; echo z > d/z; rm -f ${path}; mkfifo ${path}; echo x > x`;

const places = [
  { path: ".gitignore", stays: true },
  { path: "d/.gitattributes", stays: true },
  { path: ".git/info/exclude", stays: true },
  { path: ".git/config", stays: false },
  { path: ".git/HEAD", stays: false },
];

test.each(places)("a pipe at $path is found when a turn is stopped, and nobody waits for it", async ({ path, stays }) => {
  await begin(60_000);
  await engine.post(session, `${pipe(path)}; echo ready; sleep 1000`);
  await ready();
  const before = await engine.store.sessions.find(session.id);
  slept.length = 0;
  const { agent_status } = await engine.sessions.cancel(session.id, { queued: false });
  expect({ agent_status, slept: slept.filter((ms) => ms > 0 && ms < 10_000) }).toEqual({
    agent_status: stays ? "idle" : "failed",
    slept: [],
  });
  const place = join(engine.data, "sessions", session.id, "unsaved");
  const kept = `it is kept in ${place} until you remove it, or a later turn's takes its place; run no git on it: by its settings, the agent's, that may start programs (.git is git-of-the-agent there)`;
  const anew = stays ? "" : `; ${kept}; the next message begins with a new sandbox`;
  expect(await said()).toEqual([`what it did can't be saved: ${path} is no file, and git would wait in it for ever${anew}`]);
  expect(existsSync(join(place, "x"))).toBe(!stays);
  const after = await engine.work(session, stays ? `rm -f ${path}; echo y > y` : "echo new > new");
  expect(after.sandbox_id === before?.sandbox_id).toBe(stays);
  expect(after.head_commit).not.toBe(session.base_commit);
});

const obstacles = [
  {
    what: "a pipe in a folder of objects elsewhere",
    script:
      "mkdir -p ~/o/info ~/p/info; mkfifo ~/p/info/alternates; echo ../p > ~/o/info/alternates; echo ~/o > .git/objects/info/alternates",
    says: /\.\.\/p\/info\/alternates is no file, and git would wait in it for ever/u,
  },
  {
    what: "a pipe that is included",
    script: "mkfifo ~/pipe; git config include.path ~/pipe",
    says: /\.git\/config, with what it includes, takes git too long/u,
  },
  {
    what: "a few files that include each other",
    script: `for at in 1 2 3 4 5 6 7 8 9; do { echo '[include]'; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "path = c$((at + 1))"; done; } > ~/c$at; done; printf '[include]\npath = %s/c1\n' ~ >> .git/config`,
    says: /\.git\/config, with what it includes, takes git too long/u,
  },
  {
    what: "patterns without number",
    script: `i=0; while [ $i -lt 100 ]; do i=$((i + 1)); echo 1 > aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa$i; done; awk 'BEGIN { for (i = 0; i < 400000; i++) print "*a*a*a*a*a*a*" i " text" }' > .gitattributes`,
    says: /\.gitattributes is larger than 4 MiB, and takes git too long; it has to go/u,
  },
];

test.each(obstacles)(
  "$what ends a turn, and is named",
  async ({ script, says }) => {
    await begin(60_000);
    const { agent_status } = await engine.work(session, `${script}; echo x > x`);
    expect({ agent_status, said: await said() }).toEqual({ agent_status: "failed", said: [expect.stringMatching(says)] });
  },
  30_000,
);

test("what the agent's own configuration has ignored or given attributes isn't looked at", async () => {
  await begin(60_000);
  const set = "mkfifo ~/pipe; git config core.excludesFile ~/pipe; git config --global core.attributesFile ~/pipe";
  const { agent_status } = await engine.work(session, `${set}; echo x > x`);
  expect({ agent_status, said: await said() }).toEqual({ agent_status: "idle", said: [] });
});

test("a pipe that git doesn't read, and nothing in the place of what it does, are no matter, however long it takes", async () => {
  await begin(60_000);
  const slow = "printf '* filter=slow\\n' > .gitattributes; git config filter.slow.clean 'sleep 1; cat'";
  const odd = "mkfifo pipe; ln -s /dev/null ~/.gitconfig; rm -rf .git/info; mkdir .git/info; ln -s /dev/null .git/info/exclude";
  const { agent_status } = await engine.work(session, `${odd}; ${slow}; echo x > x`);
  expect({ agent_status, said: await said() }).toEqual({ agent_status: "idle", said: [] });
});

test.each(places)("a pipe at $path ends a turn that brings it", async ({ path }) => {
  await begin(60_000);
  const { agent_status } = await engine.work(session, pipe(path));
  expect(agent_status).toBe("failed");
  expect((await said()).at(-1)).toContain(`what it did can't be saved: ${path} is no file`);
});
