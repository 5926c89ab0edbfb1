import { once } from "node:events";
import { existsSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import type { SessionEvent } from "../../../src/wire/event.ts";
import type { Session } from "../../../src/wire/resources.ts";
import { chooseDriver, makeDrivers } from "../../../src/service/sandbox/registry.ts";
import { type EngineOptions, makeTestEngine, type TestEngine } from "../../support/engine.ts";
import { startEngineChild } from "../../support/engine-child.ts";
import { commitFiles, makeFolder, makeRepository } from "../../support/git.ts";
import { machine } from "../../support/sandbox.ts";
import { scriptedAgent, type Told } from "../../support/scripted-agent.ts";

const folder = makeFolder();
const origin = join(folder.path, "origin");
const base = commitFiles(makeRepository(origin), { a: "1" });
let data: string;
let engine: TestEngine | undefined;

beforeEach(() => void (data = mkdtempSync(join(folder.path, "data-"))));
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});
afterAll(() => folder.remove());

const open = async (loads: boolean, options: EngineOptions = {}) =>
  (engine = await makeTestEngine({ data, ...scriptedAgent(folder.path, loads), ...options }));
const begin = async (at: TestEngine) => at.start(await at.register(origin), { base_commit: base, model: "claude" });
const said = (events: readonly SessionEvent[], type: "agent_message" | "system_message") =>
  events.flatMap(({ payload }) => (payload.type === type ? [payload.message] : []));

/** What the agent tells of the prompts that it knows. */
async function told(at: TestEngine, session: Session): Promise<Told> {
  await at.work(session, "tell");
  return JSON.parse(said(await at.events(session), "agent_message").at(-1) ?? "") as Told;
}

const anew = "the agent was started anew: ferry told it what happened before";

test("stopped and started: an agent that can load goes on with its session, in a real sandbox, and nothing is told twice", async () => {
  const { driver } = await chooseDriver("auto", makeDrivers(machine));
  const first = await open(true, { driver });
  const session = await begin(first);
  await first.work(session, "say one");
  await first.work(session, "write file");
  const before = await first.events(session);
  await first.close();

  const second = await open(true, { driver });
  expect(await told(second, session)).toEqual({ loaded: true, heard: [["say one"], ["write file"], ["tell"]] });
  const after = await second.events(session);
  expect(after.slice(0, before.length).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  expect(after.slice(before.length).map(({ type }) => type)).toEqual(["user_message", "agent_message"]);

  await second.sessions.close(session.id, { outcome: "finished" }, second.user);
  expect(existsSync(join(data, "sessions", session.id, "agent-home.tar.gz"))).toBe(false);
  expect(existsSync(join(data, "sessions", session.id, "agent.json"))).toBe(false);
});

test("stopped and started: an agent that can't load is told what happened, before the message", async () => {
  const first = await open(false);
  const session = await begin(first);
  await first.work(session, "say ```\nfenced");
  await first.work(session, "write file");
  await first.close();

  const second = await open(false);
  const { loaded, heard } = await told(second, session);
  expect(loaded).toBe(false);
  expect(heard).toEqual([[expect.any(String), "tell"]]);
  const [[record = ""] = []] = heard;
  expect(record).toMatch(/^\[A record by ferry, /u);
  expect(record).toContain("The user wrote:\n````text\nsay ```\nfenced\n````\n\nThe agent wrote:\n````text\n```\nfenced\n````\n");
  expect(record).toContain("What was done:\n```text\ncreated file\n```\n");
  expect(record).toContain("Files that were changed:\n```text\nfile\n```\n");
  expect(said(await second.events(session), "system_message")).toEqual([anew]);
  // Once it knows, it is told nothing more.
  expect((await told(second, session)).heard.at(-1)).toEqual(["tell"]);
  // It has ferry's tools, also where there is no sandbox.
  await second.work(session, 'call {"id":1,"method":"tools/list"}');
  expect(said(await second.events(session), "agent_message").at(-1)).toContain('"name":"branch_diff"');
});

test("an agent that was killed between two turns is there again with the next message", async () => {
  const first = await open(true);
  const session = await begin(first);
  await first.work(session, "say one");
  await first.work(session, "die");
  const { loaded, heard } = await told(first, session);
  // It loads what it wrote down; the message that it died of is told to it.
  expect(loaded).toBe(true);
  expect(heard).toEqual([["say one"], [expect.stringMatching(/The user wrote:\n```text\ndie\n```/u), "tell"]]);
  expect(heard[1]?.[0]).not.toContain("say one");
  expect(said(await first.events(session), "system_message")).toEqual([expect.stringMatching(/^the agent "claude" died/u)]);
});

test("kill -9 of the service in the middle of a turn: the agent is told of what its kept session lacks", async () => {
  const options = { data, ...scriptedAgent(folder.path, true) };
  const messages = ["say one", "hang"];
  const other = await startEngineChild({ options, path: origin, session: { base_commit: base, model: "claude" }, messages });
  await other.printed("ready");
  other.child.kill("SIGKILL");
  await once(other.child, "exit");

  const second = await open(true);
  const session = await second.store.sessions.find(other.session);
  if (session === undefined) throw new Error("the session is lost");
  const { loaded, heard } = await told(second, session);
  expect(loaded).toBe(true);
  expect(heard).toEqual([["say one"], [expect.any(String), "tell"]]);
  const record = heard[1]?.[0];
  expect(record).toContain("The user wrote:\n```text\nhang\n```");
  expect(record).toContain("ferry noted:\n```text\nthe service stopped in the middle of this turn\n```");
  expect(record).not.toContain("say one");
});

test("after a cancel, and when another agent takes over, it is told what happened", async () => {
  const { env = {}, programs = {} } = scriptedAgent(folder.path, true);
  const configured = [{ name: "other", command: [programs["claude-agent-acp"] ?? ""], mounts: [], env: ["ANTHROPIC_API_KEY"] }];
  const first = await open(false, { configured, env });
  const session = await begin(first);
  await first.post(session, "hang");
  await first.until(session, (item) => item.type === "session_event" && item.event.type === "agent_run_repository_command");
  await first.sessions.cancel(session.id, { queued: false });
  const [[record] = []] = (await told(first, session)).heard;
  expect(record).toContain("The user wrote (and canceled it):\n```text\nhang\n```");
  expect(record).toContain("ran it (exit status unknown) (cut short)");

  const changed = await first.sessions.update(session.id, { model: "other" });
  const { loaded, heard } = await told(first, changed);
  expect(loaded).toBe(false);
  expect(heard).toEqual([[expect.stringContaining("The user wrote:\n```text\ntell\n```"), "tell"]]);
});

test("what is kept of an agent and is damaged is no obstacle", async () => {
  const first = await open(true);
  const session = await begin(first);
  await first.work(session, "say one");
  await first.close();
  const kept = join(data, "sessions", session.id, "agent-home.tar.gz");
  await first.deps.host.files.write(kept, "no archive", 0o600);

  const second = await open(true);
  const { loaded, heard } = await told(second, session);
  expect(loaded).toBe(false);
  expect(heard[0]?.[0]).toContain("say one");
  expect(second.log.join("\n")).toContain("its agent's memory is lost");
});
