import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { commitFiles, makeFolder, makeRepository, type TestGit } from "./git.ts";
import { chooseDriver, makeDrivers } from "../../src/service/sandbox/registry.ts";
import type { SessionEvent } from "../../src/wire/event.ts";
import type { Session } from "../../src/wire/resources.ts";
import { type EngineOptions, makeTestEngine, type TestEngine } from "./engine.ts";
import { machine } from "./sandbox.ts";
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

function installedPrograms(): Record<string, string> {
  const installed = process.env["TEST_AGENTS"];
  if (installed === undefined) throw new Error("run this suite by `npm run test:agents`, which installs the agents");
  const bin = join(installed, "node_modules/.bin");
  const programs = Object.fromEntries(readdirSync(bin).map((name) => [name, join(bin, name)]));
  const rg = "/usr/bin/rg";
  return { ...programs, node: process.execPath, ...(existsSync(rg) && { rg }) };
}
