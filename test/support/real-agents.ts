import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { commitFiles, makeFolder, makeRepository, type TestGit } from "./git.ts";
import { chooseDriver, makeDrivers } from "../../src/service/sandbox/registry.ts";
import type { SessionEvent } from "../../src/wire/event.ts";
import type { Session } from "../../src/wire/resources.ts";
import { type EngineOptions, makeTestEngine, type TestEngine } from "./engine.ts";
import { machine } from "./sandbox.ts";
import type { Step } from "./model-forms/form.ts";
import { makeScriptedModel, type ScriptedModel } from "./scripted-model.ts";

/** The key that only the service has. */
export const realKey = "sk-real-key-of-the-service";

/** The service with the real agents, which the script of `npm run test:agents` has installed, and a model that says what the test wants. */
export interface AgentScene {
  readonly engine: TestEngine;
  readonly model: ScriptedModel;
  readonly repository: TestGit;
  start(model: string): Promise<Session>;
  events(session: Session): Promise<SessionEvent[]>;
  /** Stops the service and starts it again. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

const sandbox = { memoryMB: 6144, processes: 512, cpus: 2, diskMB: 2048, wall: 3_600_000 };

/** The file of the repository that the scripts read and edit. */
const files = { "hello.txt": "hello world\nb\nc\nd\ne\n", "lib/other.txt": "other\n" };

/** An agent calls one of ferry's tools, and after a restart of the service goes on with what it remembers, not with a record. */
export async function expectToolsAndReturn(scene: AgentScene, model: string, tool: string): Promise<void> {
  const session = await expectTools(scene, model, tool);
  const told = (await scene.events(session)).length;
  const asked = await expectReturn(scene, session);
  const after = (await scene.events(session)).slice(told);
  expect(after.map(({ type }) => type)).toEqual(["user_message", "agent_message"]);
  expect(asked).not.toContain("A record by ferry");
}

/** An agent calls one of ferry's tools, which the timeline tells once. */
export async function expectTools(scene: AgentScene, model: string, tool: string): Promise<Session> {
  scene.model.play({ tools: [{ name: tool, args: {} }] }, { text: "Looked at it." });
  const session = await scene.start(model);
  await scene.engine.work(session, "the first message");
  const told = (await scene.events(session)).map(({ type }) => type);
  expect(told).toEqual(["user_message", "agent_uncommitted_changes", "agent_message"]);
  return session;
}

/** After a restart of the service its agent knows what was said before. @returns what the model was asked */
export async function expectReturn(scene: AgentScene, session: Session): Promise<string> {
  await scene.restart();
  scene.model.play({ text: "I remember." });
  await scene.engine.work(session, "the second message");
  expect((await scene.events(session)).at(-1)?.payload).toMatchObject({ type: "agent_message", message: "I remember." });
  const asked = scene.model.calls.map(({ body }) => JSON.stringify(body)).findLast((text) => text.includes("the second message"));
  expect(asked).toContain("the first message");
  return asked ?? "";
}

/**
 * A cancel in the middle of a command ends it with all its children, also those that left its group, and the next message is worked on.
 * @param wait runs the script that it is given
 */
export async function expectCancel(scene: AgentScene, model: string, wait: (script: string) => Step): Promise<void> {
  const { engine } = scene;
  const duration = `${10_000_000 + process.pid}`;
  scene.model.play(wait(`setsid sleep ${duration} & echo started; sleep ${duration}`));
  const session = await scene.start(model);
  await engine.post(session, "wait for it");
  await engine.until(
    session,
    (item) =>
      item.type === "session_event" && item.event.type === "agent_run_repository_command" && item.event.status === "processing",
  );
  expect(await engine.sessions.cancel(session.id, { queued: false })).toMatchObject({ agent_status: "idle" });
  expect(spawnSync("pgrep", ["-f", `^sleep ${duration}`]).status).toBe(1);
  scene.model.play({ text: "Here again." });
  expect(await engine.work(session, "are you there?")).toMatchObject({ agent_status: "idle" });
  expect((await scene.events(session)).at(-1)?.payload).toMatchObject({ type: "agent_message", message: "Here again." });
}

/**
 * An agent that is given a message asks something, is answered, and ends its turn. @returns what it asked
 */
export async function answer(scene: AgentScene, session: Session, message: string, reply: string): Promise<SessionEvent> {
  const { engine } = scene;
  const { id } = await engine.post(session, message);
  await engine.until(session, (item) => item.type === "session" && item.session.agent_status === "waiting_for_user");
  const asked = (await scene.events(session)).findLast(({ type }) => type === "agent_ask_user");
  if (asked === undefined) throw new Error("the agent waits, and has asked nothing");
  await engine.post(session, reply);
  await engine.until(
    session,
    (item) => item.type === "session_event" && item.event.id === id && item.event.status === "completed",
  );
  const told = (await scene.events(session)).map(({ payload }) => payload);
  expect(told).toContainEqual(expect.objectContaining({ type: "user_ask_user_response", reply_to: asked.id, message: reply }));
  return asked;
}

export async function makeAgentScene(options: EngineOptions = {}): Promise<AgentScene> {
  const folder = makeFolder("ferry-agents-");
  const model = await makeScriptedModel();
  const repository = makeRepository(join(folder.path, "repository"));
  commitFiles(repository, files, "first");
  const { driver } = await chooseDriver("auto", makeDrivers(machine));
  const settings: EngineOptions = {
    driver,
    data: join(folder.path, "data"),
    limits: { sandbox, startup: 150_000 },
    env: {
      OPENAI_BASE_URL: `${model.address}/v1`,
      OPENAI_API_KEY: realKey,
      ANTHROPIC_BASE_URL: model.address,
      ANTHROPIC_API_KEY: realKey,
      GOOGLE_GEMINI_BASE_URL: model.address,
      GEMINI_API_KEY: realKey,
    },
    programs: installedPrograms(),
    ...options,
  };
  mkdirSync(join(folder.path, "data"));
  let engine = await makeTestEngine(settings);
  return {
    get engine() {
      return engine;
    },
    model,
    repository,
    start: async (name) => engine.start(await engine.register(repository.folder), { model: name }),
    events: (session) => engine.events(session),
    async restart() {
      await engine.close();
      engine = await makeTestEngine(settings);
    },
    async close() {
      await engine.close();
      await model.close();
      folder.remove();
    },
  };
}

/** The agents that the script of `npm run test:agents` has installed, and what they need, by their names. */
export function installedPrograms(): Record<string, string> {
  const installed = process.env["TEST_AGENTS"];
  if (installed === undefined) throw new Error("run this suite by `npm run test:agents`, which installs the agents");
  const bin = join(installed, "node_modules/.bin");
  const programs = Object.fromEntries(readdirSync(bin).map((name) => [name, join(bin, name)]));
  const rg = "/usr/bin/rg";
  return { ...programs, node: process.execPath, ...(existsSync(rg) && { rg }) };
}
