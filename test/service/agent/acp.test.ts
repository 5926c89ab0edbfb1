import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connectAgent } from "../../../src/service/agent/acp.ts";
import type { Agent, AgentChange } from "../../../src/service/agent/agent.ts";
import type { PermissionPolicy } from "../../../src/service/agent/ask/permission.ts";
import type { Sandbox } from "../../../src/service/sandbox/driver.ts";
import { makeDrivers } from "../../../src/service/sandbox/registry.ts";
import { makeFolder } from "../../support/git.ts";
import { machine, specIn } from "../../support/sandbox.ts";

const nobody = () => Promise.resolve(undefined);
let folder: ReturnType<typeof makeFolder>;
let sandbox: Sandbox;

beforeEach(async () => {
  folder = makeFolder();
  const driver = makeDrivers(machine).find(({ name }) => name === "process");
  if (driver === undefined) throw new Error("no driver");
  sandbox = await driver.create(specIn(folder.path));
});

afterEach(async () => {
  await sandbox.destroy();
  folder.remove();
});

/** An agent in plain JSON-RPC: `answer` is the body of a function of a request that may `reply`, `fail`, `send` or exit. */
async function connect(
  answer: string,
  policy: PermissionPolicy | (() => Promise<PermissionPolicy>) = "allow",
  resume = "",
): Promise<Agent> {
  const program = `
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const hello = { initialize: { protocolVersion: 1, agentCapabilities: {} }, "session/new": { sessionId: "s" } };
const update = (update) => send({ method: "session/update", params: { sessionId: "s", update } });
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, result } = JSON.parse(line);
  const reply = (result) => send({ id, result });
  const fail = (code, message) => send({ id, error: { code, message } });
  ${answer}
  if (method in hello) reply(hello[method]);
});`;
  const child = await sandbox.spawn([process.execPath, "-e", program]);
  const wishes = { authMethod: "", mode: "", model: "" };
  const permissions = typeof policy === "string" ? () => Promise.resolve(policy) : policy;
  const options = { name: "fake", cwd: sandbox.workspace, repositoryId: "rep_1", version: "0", wishes, permissions, resume };
  return connectAgent(child, options);
}

test("an agent that dies at once is told with its last words", async () => {
  await expect(connect(`console.error("no licence"); process.exit(7);`)).rejects.toThrow(
    /^the agent "fake" died \(exit status 7\): no licence$/u,
  );
});

test("an agent that dies in the middle of a turn fails it, and so do later ones", async () => {
  const agent = await connect(`if (method === "session/prompt") process.kill(process.pid, "SIGKILL");`);
  await expect(agent.prompt("x", () => undefined, nobody)).rejects.toThrow(/^the agent "fake" died \(SIGKILL\)/u);
  await agent.gone;
  await expect(agent.prompt("x", () => undefined, nobody)).rejects.toThrow(/died/u);
});

test.each(["true", "null", '{ stopReason: "bored" }'])("a turn that ends with %s fails, and says so", async (answer) => {
  const agent = await connect(`if (method === "session/prompt") return reply(${answer});`);
  await expect(agent.prompt("x", () => undefined, nobody)).rejects.toThrow(
    /^the agent's turn ended in a way that ACP doesn't have$/u,
  );
});

test("another version of the protocol is refused", async () => {
  await expect(connect(`if (method === "initialize") return reply({ protocolVersion: 99 });`)).rejects.toThrow(
    /speaks version 99/u,
  );
});

test("an agent that wants a login first says so", async () => {
  await expect(connect(`if (method === "session/new") return fail(-32000, "Authentication required");`)).rejects.toThrow(
    /Authentication required/u,
  );
});

test("updates come in order, all of them before the turn is over", async () => {
  const agent = await connect(`if (method === "session/prompt") {
    for (let at = 0; at < 200; at++) update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: at + " " } });
    reply({ stopReason: "end_turn" });
  }`);
  const seen: AgentChange[] = [];
  expect(await agent.prompt("x", (change) => void seen.push(change), nobody)).toEqual({ outcome: "completed", remark: "" });
  const message = Array.from({ length: 200 }, (_, at) => `${at} `).join("");
  expect(seen).toHaveLength(201);
  expect(seen.at(-1)).toMatchObject({ payload: { type: "agent_message", message } });
});

test("why a turn failed is told with the reason that some put beside an internal error", async () => {
  const agent = await connect(`if (method === "session/prompt") {
    send({ id, error: { code: -32603, message: "Internal error", data: { details: "no\\nmoney" } } });
    return;
  }`);
  await expect(agent.prompt("x", () => undefined, nobody)).rejects.toThrow(/^Internal error: no money$/u);
});

test("permission is given, once where there is a choice", async () => {
  const agent = await connect(`if (method === "session/prompt") {
    globalThis.prompt = id;
    const options = [["a", "reject_once"], ["b", "allow_always"], ["c", "allow_once"]].map(([optionId, kind]) => ({ optionId, kind, name: kind }));
    send({ id: 99, method: "session/request_permission", params: { sessionId: "s", toolCall: { toolCallId: "t" }, options } });
  } else if (id === 99) {
    update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: JSON.stringify(result) } });
    send({ id: globalThis.prompt, result: { stopReason: "refusal" } });
    return;
  }`);
  const seen: AgentChange[] = [];
  expect(await agent.prompt("x", (change) => void seen.push(change), nobody)).toEqual({
    outcome: "completed",
    remark: "the agent refused to go on",
  });
  expect(seen[0]).toEqual({ type: "delta", text: '{"outcome":{"outcome":"selected","optionId":"c"}}' });
});

test("a call that is asked about by its id alone has the name under which it was told of", async () => {
  const agent = await connect(
    `if (method === "session/prompt") {
    globalThis.prompt = id;
    update({ sessionUpdate: "tool_call", toolCallId: "t", title: "push the branch" });
    const options = [{ optionId: "a", kind: "allow_once", name: "Yes" }];
    send({ id: 99, method: "session/request_permission", params: { sessionId: "s", toolCall: { toolCallId: "t" }, options } });
  } else if (id === 99) return send({ id: globalThis.prompt, result: { stopReason: "end_turn" } });`,
    "ask",
  );
  const asked: string[] = [];
  await agent.prompt(
    "x",
    () => undefined,
    ({ question }) => Promise.resolve(void asked.push(question)),
  );
  expect(asked).toEqual(["May the agent do this? push the branch"]);
});

const asksEachTurn = `if (method === "session/prompt") {
    globalThis.prompt = id;
    const options = [{ optionId: "a", kind: "allow_once", name: "Yes" }];
    send({ id: 99, method: "session/request_permission", params: { sessionId: "s", toolCall: { toolCallId: "t", title: "it" }, options } });
  } else if (id === 99) return send({ id: globalThis.prompt, result: { stopReason: "end_turn" } });`;

test("the policy is what it is when permission is asked for, also while the agent runs; where it can't be known, the user is asked", async () => {
  const policies: (PermissionPolicy | Error)[] = ["allow", "ask", "allow", new Error("the config is broken")];
  const agent = await connect(asksEachTurn, async () => {
    const policy = policies.shift() ?? "allow";
    if (policy instanceof Error) throw policy;
    return policy;
  });
  const asked: string[] = [];
  for (const turn of ["1", "2", "3", "4"])
    await agent.prompt(
      turn,
      () => undefined,
      () => Promise.resolve(void asked.push(turn)),
    );
  expect(asked).toEqual(["2", "4"]);
});

test("neither files nor terminals are offered, and what isn't JSON is survived", async () => {
  const agent = await connect(`if (method === "initialize") process.stdout.write("Welcome!\\n\\n[]\\n");
  if (method === "session/prompt") {
    globalThis.prompt = id;
    send({ id: 98, method: "fs/read_text_file", params: { sessionId: "s", path: "/etc/passwd" } });
  } else if (id === 98) {
    const { error } = JSON.parse(line);
    send({ id: globalThis.prompt, error: { code: -32603, message: "refused with " + error.code } });
    return;
  }`);
  await expect(agent.prompt("x", () => undefined, nobody)).rejects.toThrow("refused with -32601");
});

test("opencode asks, and has us write the file that it writes itself (recorded): that is refused, and costs the turn nothing", async () => {
  const recorded = fileURLToPath(new URL("fixtures/opencode-ask.jsonl", import.meta.url));
  const agent = await connect(
    `if (method === "session/prompt") {
      globalThis.prompt = id;
      globalThis.lines = require("node:fs").readFileSync(${JSON.stringify(recorded)}, "utf8").trimEnd().split("\\n").map((text) => JSON.parse(text));
      globalThis.answers = [];
    } else if (id !== undefined && method === undefined) {
      const { error } = JSON.parse(line);
      answers.push(error === undefined ? result.outcome.optionId : error.code);
    } else if (method !== undefined) { if (method in hello) reply(hello[method]); return; }
    for (;;) {
      const next = lines.shift();
      if (next === undefined) break;
      if (next.update) { update(next.update); continue; }
      const params = { sessionId: "s", ...(next.permission ?? next.request.params) };
      return send({ id: 100 + lines.length, method: next.request?.method ?? "session/request_permission", params });
    }
    update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: answers.join() } });
    return send({ id: globalThis.prompt, result: { stopReason: "end_turn" } });`,
    "ask",
  );
  const told: unknown[] = [];
  const asked: string[] = [];
  const replies = ["yes", "no"];
  await agent.prompt(
    "x",
    (change) => void told.push(change.type === "event" ? change.payload : change.type),
    ({ question }) => {
      asked.push(question);
      return Promise.resolve(replies.shift());
    },
  );
  expect(asked).toEqual(["May the agent do this? edit /repo/made.txt", "May the agent do this? edit /repo/never.txt"]);
  // -32601: ferry has no such method.
  expect(told.at(-1)).toEqual({ type: "agent_message", message: "once,-32601,reject" });
  expect(told.filter((entry) => entry === "worked")).toHaveLength(2);
  expect(existsSync("/repo/made.txt")).toBe(false);
});

test.each([
  ["has both: no history is told again", `if (/^session.(resume|load)$/.test(method)) return reply({ modes: null });`, true],
  ["has resume only in name: it loads", `if (method === "session/load") return reply(null);`, true],
  ["has the session no more: a new one", "", false],
])("going on with a session of an agent that %s", async (_, answer, resumed) => {
  const agentCapabilities = { loadSession: true, sessionCapabilities: { resume: {} } };
  const agent = await connect(
    `if (method === "initialize") return reply({ protocolVersion: 1, agentCapabilities: ${JSON.stringify(agentCapabilities)} });
     ${answer}
     if (method.startsWith("session/") && method !== "session/new") return fail(-32601, "Method not found");`,
    "allow",
    "earlier",
  );
  expect(agent).toMatchObject({ resumed, session: resumed ? "earlier" : "s" });
});
