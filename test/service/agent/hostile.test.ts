import { afterEach, beforeEach, expect, test } from "vitest";
import { connectAgent } from "../../../src/service/agent/acp.ts";
import type { Agent, AgentChange } from "../../../src/service/agent/agent.ts";
import type { Sandbox } from "../../../src/service/sandbox/driver.ts";
import { driverNamed } from "../../support/engine.ts";
import { makeFolder } from "../../support/git.ts";
import { specIn } from "../../support/sandbox.ts";

const nobody = () => Promise.resolve(undefined);
const mebibyte = 1024 * 1024;
let folder: ReturnType<typeof makeFolder>;
let sandbox: Sandbox;

beforeEach(async () => {
  folder = makeFolder();
  sandbox = await driverNamed("process").create(specIn(folder.path));
});
afterEach(async () => {
  await sandbox.destroy();
  folder.remove();
});

/** An agent whose turn is the body of a function; `say` writes text as it is, and waits for its reader. */
async function connect(turn: string): Promise<Agent> {
  const program = `
const say = (text) => new Promise((resolve) => process.stdout.write(text, resolve));
const send = (message) => say(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const update = (update) => send({ method: "session/update", params: { sessionId: "s", update } });
const message = (text) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const hello = { initialize: { protocolVersion: 1, agentCapabilities: {} }, "session/new": { sessionId: "s" } };
require("node:readline").createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method } = JSON.parse(line);
  if (method in hello) return send({ id, result: hello[method] });
  if (method !== "session/prompt") return;
  ${turn}
  send({ id, result: { stopReason: "end_turn" } });
});`;
  const child = await sandbox.spawn([process.execPath, "-e", program]);
  const wishes = { authMethod: "", mode: "", model: "" };
  return connectAgent(child, {
    ...{ name: "fake", cwd: sandbox.workspace, repositoryId: "rep_1", version: "0", wishes },
    permissions: () => Promise.resolve("allow"),
  });
}

/** What a turn tells, and by how much the service's memory grew at most meanwhile, in MiB. */
async function watch(turn: string, pace = () => Promise.resolve()) {
  const agent = await connect(turn);
  const changes: AgentChange[] = [];
  let size = 0;
  const before = process.memoryUsage().rss;
  let most = before;
  const end = await agent
    .prompt(
      "x",
      (change) => {
        most = Math.max(most, process.memoryUsage().rss);
        size += JSON.stringify(change).length;
        if (changes.length < 10_000) changes.push(change);
        return pace();
      },
      nobody,
    )
    .catch((error: unknown) => error);
  most = Math.max(most, process.memoryUsage().rss);
  agent.close();
  return { end, changes, size, grown: (most - before) / mebibyte };
}

test("a message without an end is cut, not kept", async () => {
  const { end, changes, size, grown } = await watch(
    `const text = "x".repeat(1e6); for (let at = 0; at < 12; at++) await message(text);`,
  );
  expect(end).toMatchObject({ outcome: "completed" });
  expect(changes.at(-1)).toMatchObject({
    payload: { type: "agent_message", message: expect.stringMatching(/^x+\n\[… \d+ characters left out …\]$/u) as string },
  });
  expect(size).toBeLessThan(8 * mebibyte);
  expect(grown).toBeLessThan(200);
});

test("calls that never end are kept as far as they fit", async () => {
  const { end, size } = await watch(`const rawInput = { command: "x".repeat(3e5) };
for (let at = 0; at < 80; at++) await update({ sessionUpdate: "tool_call", toolCallId: "c" + at, title: "t", kind: "execute", status: "in_progress", rawInput });`);
  expect(end).toMatchObject({ outcome: "completed" });
  expect(size).toBeLessThan(8 * mebibyte);
});

test("one line without an end, and nesting without an end, are refused", async () => {
  const { end, grown } = await watch(
    `const piece = "[".repeat(1e6); for (let at = 0; at < 20; at++) await say(piece); await say("\\n");`,
  );
  expect(end).toMatchObject({ kind: "failure" });
  expect(grown).toBeLessThan(300);
});

test("nesting in a field that may hold anything is no trouble", async () => {
  const { end } = await watch(`const deep = "[".repeat(2e5) + "]".repeat(2e5);
await say('{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","title":"t","kind":"execute","status":"completed","rawInput":{"command":' + deep + ',"todos":' + deep + '},"rawOutput":' + deep + ',"_meta":' + deep + '}}}\\n');
for (const odd of ["{", "null", '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","method":"session/update","params":7}', '{"jsonrpc":"2.0","id":{},"method":"fs/write_text_file"}', "\\u0000\\ufffd"]) await say(odd + "\\n");
for (const method of ["fs/read_text_file", "fs/write_text_file", "terminal/create", "session/update", "constructor", "__proto__"]) await send({ id: method, method, params: { sessionId: "s", path: "/etc/passwd", content: "pwned" } });`);
  expect(end).toMatchObject({ outcome: "completed" });
});

test("an agent that tells more than can be written down waits", async () => {
  let open = 0;
  let most = 0;
  const pace = async () => {
    most = Math.max(most, (open += 1));
    await new Promise((resolve) => setImmediate(resolve));
    open -= 1;
  };
  const { changes, end } = await watch(
    `for (let at = 0; at < 1000; at++) await update({ sessionUpdate: "tool_call", toolCallId: "c" + at, title: "t", kind: "execute", status: "completed", rawInput: { command: "x".repeat(500) } });`,
    pace,
  );
  expect(end).toMatchObject({ outcome: "completed" });
  expect(changes).toHaveLength(2000);
  expect(most).toBeLessThan(500);
});
