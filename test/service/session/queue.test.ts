import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Session } from "../../../src/wire/resources.ts";
import { FerryError } from "../../../src/base/errors.ts";
import type { SandboxDriver } from "../../../src/service/sandbox/driver.ts";
import { defaultLimits } from "../../../src/service/session/deps.ts";
import { driverNamed, makeTestEngine, type TestEngine } from "../../support/engine.ts";
import { commitFiles, makeFolder, makeRepository } from "../../support/git.ts";

let engine: TestEngine;
let folder: ReturnType<typeof makeFolder>;
let session: Session;

beforeEach(async () => {
  folder = makeFolder();
  const git = makeRepository(folder.path);
  const base = commitFiles(git, { "README.md": "hello\n" }, "first");
  engine = await makeTestEngine({
    programs: { true: "/usr/bin/true" },
    configured: [{ name: "other", command: ["true"], mounts: [], env: [], keyless: true }],
  });
  session = await engine.start(await engine.register(folder.path), { base_commit: base });
});

afterEach(async () => {
  await engine.close();
  folder.remove();
});

/** Waits until the session's agent has this status. */
const agentIs = (status: string) =>
  engine.until(session, (item) => item.type === "session" && item.session.agent_status === status);
/** Waits until a command's output holds a word. */
const outputHas = (word: string) =>
  engine.until(
    session,
    (item) =>
      item.type === "session_event" &&
      item.event.type === "agent_run_repository_command" &&
      (item.event.payload.output ?? "").includes(word),
  );
/** Not a zombie either: those are dead, and wait for a parent that isn't ours. */
function isAlive(pid: string): boolean {
  return existsSync(`/proc/${pid}/stat`) && !/\) Z /u.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
}
const messages = async () =>
  (await engine.events(session)).filter((event) => event.type === "user_message").map((event) => event.status);
const system = async () =>
  (await engine.events(session)).flatMap((event) => (event.type === "system_message" ? [event.payload.message] : []));

test("two messages at once: one works, one is queued, and they run in order", async () => {
  const [first, second] = await Promise.all([engine.post(session, "echo 1 >> n"), engine.post(session, "echo 2 >> n; cat n")]);
  expect([first.status, second.status]).toEqual(["processing", "queued"]);
  await engine.work(session, "true");
  const outputs = (await engine.events(session)).flatMap((event) =>
    event.type === "agent_run_repository_command" ? [event.payload.output] : [],
  );
  expect(outputs).toEqual(["", "1\n2\n", ""]);
  expect(await messages()).toEqual(["completed", "completed", "completed"]);
  expect(engine.sessions.busy()).toBe(false);
});

test("the same client_id twice is one message", async () => {
  const send = () => engine.sessions.post(session.id, { message: "echo x >> n", client_id: "c-1" }, engine.user);
  const [first, again] = [await send(), await send()];
  expect(again.id).toBe(first.id);
  await agentIs("idle");
  expect((await engine.events(session)).filter((event) => event.type === "user_message")).toHaveLength(1);
});

test("while the agent works its branch and model stay, and auto_commit may change", async () => {
  await engine.post(session, "echo started; sleep 1000");
  await outputHas("started");
  const busy = { status: 409, code: "agent_busy" };
  await expect(engine.sessions.update(session.id, { branch_name: "other" })).rejects.toMatchObject(busy);
  await expect(engine.sessions.update(session.id, { model: "other" })).rejects.toMatchObject(busy);
  expect(await engine.sessions.update(session.id, { auto_commit: false })).toMatchObject({
    auto_commit: false,
    branch_name: session.branch_name,
  });
});

test("a script that fails fails the turn, tells why, and keeps what it did", async () => {
  const after = await engine.work(session, "echo half > half.txt\nexit 3");
  expect(after.agent_status).toBe("failed");
  expect(await messages()).toEqual(["completed"]);
  expect(await system()).toEqual(["the script ended with exit status 3"]);
  expect(after.head_commit).not.toBe(after.base_commit);
  expect((await engine.work(session, "cat half.txt")).agent_status).toBe("idle");
});

test("an agent that dies fails the turn and says so, and the next message has a new one", async () => {
  const after = await engine.work(session, "echo kept > kept.txt; kill -KILL $PPID; sleep 1000");
  expect(after.agent_status).toBe("failed");
  expect(await system()).toEqual(['the agent "shell" died (SIGKILL)']);
  expect((await engine.events(session)).every((event) => event.status !== "processing")).toBe(true);
  expect((await engine.work(session, "cat kept.txt")).agent_status).toBe("idle");
});

test("what can't be written down for a while is written when it can", async () => {
  const database = new Database(join(engine.data, "ferry.db"));
  try {
    await engine.post(session, "echo ready; until test -e go; do sleep 0.05; done; rm go; echo hi > hi.txt");
    await outputHas("ready");
    database.exec(
      "create trigger full before update on sessions when new.agent_status <> old.agent_status begin select raise(abort, 'disk is full'); end",
    );
    const { sandbox_id: sandbox = "" } = (await engine.store.sessions.find(session.id)) ?? {};
    writeFileSync(join(engine.data, "sandboxes", sandbox, "repo", "go"), "");
    await vi.waitFor(() => expect(engine.log.join("\n")).toContain("disk is full; trying again"), { timeout: 20_000 });
    expect(engine.sessions.busy()).toBe(true);
    database.exec("drop trigger full");
    await agentIs("idle");
  } finally {
    database.close();
  }
});

test("queued messages go on after a failed one", async () => {
  await engine.post(session, "exit 1");
  await engine.post(session, "echo next");
  await outputHas("next");
  await agentIs("idle");
  expect(await messages()).toEqual(["completed", "completed"]);
});

describe("cancel", () => {
  test("kills all that the turn started, within a second, and leaves the agent idle", async () => {
    const pids = join(folder.path, "pids");
    await engine.post(
      session,
      `setsid sleep 1000 & echo $! >> ${pids}; sleep 1000 & echo $! >> ${pids}; echo started; sleep 1000`,
    );
    await outputHas("started");
    const from = performance.now();
    const after = await engine.sessions.cancel(session.id, { queued: false });
    expect(performance.now() - from).toBeLessThan(2000);
    expect(after).toMatchObject({ status: "active", agent_status: "idle" });
    for (const pid of readFileSync(pids, "utf8").trim().split("\n")) expect(isAlive(pid)).toBe(false);
    expect(await messages()).toEqual(["canceled"]);
    expect((await engine.events(session)).every((event) => event.status !== "processing")).toBe(true);
  });

  test("ends an agent that doesn't listen any more, and the next message has a new one", async () => {
    await engine.post(session, "echo started; kill -STOP $PPID; sleep 1000");
    // The agent is stopped before it can tell of the output.
    await engine.until(session, (item) => item.type === "session_event" && item.event.type === "agent_run_repository_command");
    const from = performance.now();
    expect(await engine.sessions.cancel(session.id, { queued: false })).toMatchObject({ agent_status: "idle" });
    expect(performance.now() - from).toBeLessThan(5000);
    expect(await engine.work(session, "true")).toMatchObject({ agent_status: "idle" });
    expect(await system()).toEqual([]);
  });

  test("leaves what is queued to go on, or takes it too", async () => {
    await engine.post(session, "echo a; sleep 1000");
    await engine.post(session, "echo b; sleep 1000");
    await engine.post(session, "echo c");
    await outputHas("a");
    await engine.sessions.cancel(session.id, { queued: false });
    await outputHas("b");
    expect(await messages()).toEqual(["canceled", "processing", "queued"]);
    expect(await engine.sessions.cancel(session.id, { queued: true })).toMatchObject({ agent_status: "idle" });
    expect(await messages()).toEqual(["canceled", "canceled", "canceled"]);
  });

  test("of a session that rests changes nothing", async () => {
    expect(await engine.sessions.cancel(session.id, { queued: false })).toMatchObject({ agent_status: "idle" });
    expect(await engine.events(session)).toEqual([]);
  });

  test("commits nothing, but what is there stays in the workspace", async () => {
    await engine.post(session, "echo kept > kept.txt; echo ready; sleep 1000");
    await outputHas("ready");
    expect((await engine.sessions.cancel(session.id, { queued: false })).head_commit).toBe(session.base_commit);
    await engine.work(session, "cat kept.txt");
    await outputHas("kept");
  });
});

describe("close", () => {
  test.each(["finished", "closed"] as const)(
    "%s: the sandbox is gone, the commits are kept, nothing more is taken",
    async (outcome) => {
      const { head_commit, sandbox_id } = await engine.work(session, "echo x > x");
      expect(existsSync(join(engine.data, "sandboxes", sandbox_id ?? "?"))).toBe(true);
      const closed = await engine.sessions.close(session.id, { outcome }, engine.user);
      expect(closed).toMatchObject({ status: outcome, head_commit });
      expect(closed.sandbox_id).toBeUndefined();
      expect(existsSync(join(engine.data, "sandboxes", sandbox_id ?? "?"))).toBe(false);
      expect((await engine.events(session)).at(-1)).toMatchObject({
        type: `session_${outcome}`,
        payload: { actor: { id: engine.user.id, first_name: "Ada", last_name: "Lovelace", email: "ada@example.com" } },
      });
      expect((await engine.sessions.manifest(session.id, { after: "", until: "", cursor: "" })).items).toHaveLength(1);
      await expect(engine.post(session, "true")).rejects.toMatchObject({ status: 409, code: "session_over" });
      await expect(engine.sessions.close(session.id, { outcome }, engine.user)).rejects.toMatchObject({ status: 409 });
    },
  );

  test("while it works: the turn and the queue are canceled first", async () => {
    await engine.post(session, "git commit -q --allow-empty -m own; echo committed; sleep 1000");
    await engine.post(session, "echo never");
    await outputHas("committed");
    const closed = await engine.sessions.close(session.id, { outcome: "closed" }, engine.user);
    expect(closed.status).toBe("closed");
    expect(await system()).toEqual([]);
    expect(await messages()).toEqual(["canceled", "canceled"]);
    expect(closed.head_commit).not.toBe(closed.base_commit);
    expect((await engine.events(session)).at(-1)?.type).toBe("session_closed");
  });
});

test("where no sandbox can be had the session has failed, and says why", async () => {
  const refusing: SandboxDriver = {
    ...driverNamed("process"),
    create: () => Promise.reject(new FerryError("failure", "namespaces are forbidden here", { hint: "allow them" })),
  };
  const other = await makeTestEngine({ driver: refusing });
  const started = await other.start(await other.register(folder.path));
  await other.post(started, "echo 1");
  await other.post(started, "echo 2").catch((error: unknown) => expect(error).toMatchObject({ status: 409 }));
  await other.until(started, (item) => item.type === "session" && item.session.status === "failed");
  expect((await other.events(started)).map((event) => `${event.type} ${event.status}`)).toContain("system_message completed");
  expect((await other.events(started)).find((event) => event.type === "system_message")?.payload.message).toBe(
    "namespaces are forbidden here",
  );
  expect((await other.events(started)).every((event) => event.status === "completed" || event.status === "canceled")).toBe(true);
  await other.close();
});

test("a turn that reaches a limit fails and says which; the next begins in a new sandbox with what was there", async () => {
  const other = await makeTestEngine({ limits: { sandbox: { ...defaultLimits.sandbox, wall: 2500 } } });
  const started = await other.start(await other.register(folder.path), { auto_commit: false });
  const after = await other.work(started, "echo kept > kept; sleep 1000");
  expect(after.agent_status).toBe("failed");
  expect((await other.events(started)).find((event) => event.type === "system_message")?.payload.message).toMatch(
    /limit \(wall\); the next message begins with a new sandbox$/u,
  );
  await other.work(started, "cat kept");
  expect((await other.events(started)).findLast((event) => event.type === "agent_run_repository_command")?.payload.output).toBe(
    "kept\n",
  );
  await other.close();
});

test("a session that isn't there is 404", async () => {
  await expect(engine.sessions.post("ses_none", { message: "true", client_id: "" }, engine.user)).rejects.toMatchObject({
    status: 404,
  });
  await expect(engine.sessions.cancel("ses_none", { queued: false })).rejects.toMatchObject({ status: 404 });
});
