import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SessionEvent } from "../../../src/wire/event.ts";
import { makeTestEngine, type TestEngine } from "../../support/engine.ts";
import { type EngineChild, startEngineChild } from "../../support/engine-child.ts";
import { commitFiles, gitIn, makeFolder, makeRepository } from "../../support/git.ts";

let folder: ReturnType<typeof makeFolder>;
let data: string;
let origin: string;
let base: string;
let engine: TestEngine | undefined;
let other: EngineChild | undefined;

beforeEach(() => {
  folder = makeFolder();
  data = join(folder.path, "data");
  mkdirSync(data);
  origin = join(folder.path, "origin");
  base = commitFiles(makeRepository(origin), { a: "1" });
});

afterEach(async () => {
  other?.child.kill("SIGKILL");
  await engine?.close();
  [engine, other] = [undefined, undefined];
  folder.remove();
});

const said = (events: readonly SessionEvent[]) =>
  events.flatMap((event) => (event.type === "system_message" ? [event.payload.message] : []));
const statuses = (events: readonly SessionEvent[], type: SessionEvent["type"]) =>
  events.filter((event) => event.type === type).map(({ status }) => status);

test("killed in the middle of a turn: nothing acknowledged is lost, the turn is told, the queue goes on", async () => {
  const mark = join(folder.path, "mark");
  other = await startEngineChild({
    options: { data },
    path: origin,
    session: { base_commit: base },
    messages: [
      "echo 1 > one",
      `echo $$ > ${mark}; echo precious > kept; git add kept; git commit -q -m kept; echo ready; sleep 1000`,
      "cat one; echo 3 > three",
    ],
  });
  const { child, session: id, messages } = other;
  await other.printed("ready");
  child.kill("SIGKILL");
  await once(child, "exit");

  engine = await makeTestEngine({ data });
  const session = await engine.store.sessions.find(id);
  if (session === undefined) throw new Error("the session is lost");
  await engine.until(
    session,
    (item) => item.type === "session_event" && item.event.id === messages[2] && item.event.status === "completed",
  );
  const events = await engine.events(session);
  expect(events.filter((event) => messages.includes(event.id)).map((event) => event.status)).toEqual([
    "completed",
    "completed",
    "completed",
  ]);
  expect(said(events)).toEqual(["the service stopped in the middle of this turn"]);
  expect(readdirSync(join(data, "sessions", id))).not.toContain("unsaved");
  expect(statuses(events, "agent_run_repository_command")).toEqual(["completed", "canceled", "completed"]);
  const repo = gitIn(join(data, "sessions", id, "repo.git"));
  expect(repo("log", "--reverse", "--format=%s", `${base}..${session.branch_name}`)).toBe(
    "echo 1 > one\nkept\ncat one; echo 3 > three",
  );
  expect(existsSync(`/proc/${readFileSync(mark, "utf8").trim()}/cwd`)).toBe(false);
  const after = await engine.store.sessions.find(id);
  expect(readdirSync(join(data, "sandboxes")).filter((name) => name.startsWith("sbx_"))).toEqual([after?.sandbox_id]);
});

test("stopped in the middle of a turn: told the same way; what waits is taken up by the next start", async () => {
  const first = await makeTestEngine({ data });
  engine = first;
  const session = await first.start(await first.register(origin), { base_commit: base });
  await first.post(session, "git commit -q --allow-empty -m own; echo ready; sleep 1000");
  await first.post(session, "echo later");
  await first.until(
    session,
    (item) =>
      item.type === "session_event" &&
      item.event.type === "agent_run_repository_command" &&
      item.event.payload.output === "ready\n",
  );
  await first.sessions.stop();
  expect(statuses(await first.events(session), "user_message")).toEqual(["completed", "queued"]);
  expect(said(await first.events(session))).toEqual(["the service stopped in the middle of this turn"]);
  const stopped = await first.store.sessions.find(session.id);
  expect(stopped).toMatchObject({ status: "active", agent_status: "failed" });
  expect(stopped?.head_commit).not.toBe(base);
  expect(readdirSync(join(data, "sandboxes")).filter((name) => name.startsWith("sbx_"))).toEqual([]);
  await expect(first.post(session, "true")).rejects.toMatchObject({ status: 503 });
  await first.store.close();

  engine = await makeTestEngine({ data });
  await engine.until(session, (item) => item.type === "session" && item.session.agent_status === "idle");
  expect(statuses(await engine.events(session), "user_message")).toEqual(["completed", "completed"]);
});

test("what was not committed is there again in the next sandbox, not committed; the restart alone makes a session no newer", async () => {
  const first = await makeTestEngine({ data });
  const session = await first.start(await first.register(origin), { base_commit: base, auto_commit: false });
  const before = await first.work(session, "echo changed > a; echo new > n; mkdir d; printf '\\0' > d/b; chmod +x n");
  await first.close();

  engine = await makeTestEngine({ data });
  const { sandbox_id: gone, ...same } = before;
  expect({ gone, now: await engine.store.sessions.find(session.id) }).toEqual({ gone: expect.any(String) as string, now: same });
  const after = await engine.work(session, "cat a n; git status --porcelain; test -x n && echo executable");
  const outputs = (await engine.events(session)).flatMap((event) =>
    event.type === "agent_run_repository_command" ? [event.payload.output] : [],
  );
  expect(outputs.at(-1)).toBe("changed\nnew\n M a\n?? d/\n?? n\nexecutable\n");
  expect(after.head_commit).toBe(base);
  await engine.work(after, "git checkout -q a; git clean -fdq");
  expect(gitIn(join(data, "sessions", session.id, "repo.git"))("for-each-ref", "refs/ferry")).toBe("");
});

test("what a closed session's sandbox held is removed beside it", async () => {
  engine = await makeTestEngine({ data });
  const session = await engine.start(await engine.register(origin), { base_commit: base });
  await engine.work(session, "mkdir d; for i in $(seq 3000); do : > d/$i; done; echo d > .gitignore");
  await engine.sessions.close(session.id, { outcome: "closed" }, engine.user);
  expect(readdirSync(join(data, "sandboxes"))).toEqual([]);
  expect(readdirSync(join(data, "trash"))).not.toEqual([]);
  await expect.poll(() => readdirSync(join(data, "trash"))).toEqual([]);
});

test("a sandbox is given up when nothing happens in it for long, and made again", async () => {
  engine = await makeTestEngine({ data, limits: { idle: 1 } });
  const session = await engine.start(await engine.register(origin), { base_commit: base, auto_commit: false });
  const { sandbox_id } = await engine.work(session, "echo kept > kept");
  await engine.until(
    session,
    (item) => item.type === "session" && item.session.sandbox_id === undefined && item.session.agent_status === "idle",
  );
  expect(existsSync(join(data, "sandboxes", sandbox_id ?? "?"))).toBe(false);
  await engine.work(session, "cat kept");
  const events = await engine.events(session);
  expect(events.filter((event) => event.type === "agent_run_repository_command").at(-1)?.payload).toMatchObject({
    output: "kept\n",
  });
});

test("a repository whose session was never acknowledged is removed", async () => {
  mkdirSync(join(data, "sessions", "ses_orphan", "repo.git"), { recursive: true });
  mkdirSync(join(data, "sessions", "something"));
  engine = await makeTestEngine({ data });
  expect(readdirSync(join(data, "sessions"))).toEqual(["something"]);
});

test("what a killed service left in sandboxes is removed once the next one has started, or by the one after that", async () => {
  const old = join(data, "sandboxes", "sbx_old", "repo", "deep");
  mkdirSync(old, { recursive: true });
  for (let at = 0; at < 5000; at += 1) writeFileSync(join(old, String(at)), "");
  const left = (): string[] => readdirSync(join(data, "trash"));
  const cut = await makeTestEngine({ data });
  expect(readdirSync(join(data, "sandboxes"))).toEqual([]);
  await cut.close();
  expect(left()).not.toEqual([]);
  engine = await makeTestEngine({ data });
  await expect.poll(left).toEqual([]);
});
