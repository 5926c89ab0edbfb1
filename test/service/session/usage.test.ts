import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { UsageMeter } from "../../../src/service/agent/gateway/usage.ts";
import type { Session } from "../../../src/wire/resources.ts";
import { type EngineOptions, makeTestEngine, type TestEngine } from "../../support/engine.ts";
import { commitFiles, makeFolder, makeRepository } from "../../support/git.ts";
import { makeScriptedModel, type ScriptedModel } from "../../support/scripted-model.ts";
import { scriptedAgent } from "../../support/scripted-agent.ts";

const folder = makeFolder();
const origin = join(folder.path, "origin");
const base = commitFiles(makeRepository(origin), { a: "1" });
let model: ScriptedModel;
let engine: TestEngine;

beforeEach(async () => void (model = await makeScriptedModel()));
afterEach(async () => {
  await engine.close();
  await model.close();
});
afterAll(() => folder.remove());

/** The agent goes by two names, since the two count their cost in two ways. */
async function open(change: EngineOptions = {}): Promise<TestEngine> {
  const { env = {}, programs = {} } = scriptedAgent(folder.path, true);
  const openai = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://127.0.0.1:1" };
  return (engine = await makeTestEngine({
    env: { ...env, ...openai, ANTHROPIC_BASE_URL: model.address },
    programs: { ...programs, qwen: programs["claude-agent-acp"] ?? "" },
    ...change,
  }));
}

const begin = async (agent: string): Promise<Session> =>
  engine.start(await engine.register(origin), { base_commit: base, model: agent });

test("the model calls of all turns are counted on their way, also of a turn that failed; of none nothing is said", async () => {
  await open();
  const session = await begin("claude");
  expect((await engine.work(session, "say hello")).usage).toBeUndefined();
  expect((await engine.work(session, "model")).usage).toEqual({ model_calls: 3, input_tokens: 300, output_tokens: 21 });
  await engine.work(session, "model");
  const { usage } = await engine.work(session, "fail it");
  expect(usage).toEqual({ model_calls: 6, input_tokens: 600, output_tokens: 42 });
});

test.each([
  ["claude, whose processes each count for themselves", ["0.1", "0.25"], ["0.2", "0.3"], 0.55],
  ["qwen, whose session is counted, as ACP has it", ["0.1", "0.25"], ["0.3", "0.4"], 0.4],
  ["qwen, which begins anew all the same", ["0.1", "0.25"], ["0.2"], 0.45],
])("what it cost by %s: a session has the sum of it after a restart, too", async (agent, first, second, sum) => {
  const data = join(folder.path, `data-${sum}`);
  mkdirSync(data);
  await open({ data });
  const session = await begin(agent.split(",", 1)[0] ?? "");
  for (const total of first) await engine.work(session, `cost ${total}`);
  await engine.close();
  await open({ data });
  for (const total of second) await engine.work(session, `cost ${total}`);
  const { usage } = await engine.work(session, "say thanks");
  expect(usage).toEqual({ model_calls: 0, input_tokens: 0, output_tokens: 0, cost_usd: sum });
});

test.each([
  ["Anthropic", '{"input_tokens":3,"cache_creation_input_tokens":100,"cache_read_input_tokens":2000,"output_tokens":9}', 2103, 9],
  ["OpenAI", '{"prompt_tokens":30,"prompt_tokens_details":{"cached_tokens":20},"completion_tokens":4}', 30, 4],
  ["Google", '{"promptTokenCount":30,"candidatesTokenCount":4,"thoughtsTokenCount":50}', 30, 54],
])("what %s's cache took and its model thought with is counted", (_, text, input, output) => {
  const meter = new UsageMeter();
  for (const part of text.split(/(?<=,)/u)) meter.push(Buffer.from(part));
  meter.push(Buffer.from(`\n${text}\n`));
  meter.end();
  expect({ input: meter.inputTokens, output: meter.outputTokens }).toEqual({ input, output });
});
