import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EngineOptions } from "./engine.ts";

/** What a scripted agent says when it is told to `tell`. */
export interface Told {
  /** Whether it went on with an earlier session. */
  readonly loaded: boolean;
  /** The parts of all prompts that it knows of, this one included. */
  readonly heard: readonly (readonly string[])[];
}

/**
 * An agent of the name `claude` that does what the last part of a prompt says: `tell`, `say WORDS`, `write FILE`, `run
 * SCRIPT`, `call JSON` (a request to the MCP server that it was given, whose answer it says), `model` (three tries at a model call),
 *  `flood COUNT SIZE JSON` (so many updates, in
 * which # is the number and "~" a text of that size), `cost AMOUNT` (what the session has cost so far, in USD), `fail WORDS` (said, and given as the error), `hang` or `die`.
 * One that loads keeps its sessions in its HOME, as agents do, and tells all of an old one again, also when it should be done with that.
 */
const program = (loads: boolean) => `#!/usr/bin/env node
const { execFileSync, spawn } = require("node:child_process");
const { createInterface } = require("node:readline");
const { existsSync, mkdirSync, readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const folder = join(process.env.HOME, ".scripted");
const fileOf = (id) => join(folder, id + ".json");
let session, loaded = false, heard = [], late;
const update = (update) => send({ method: "session/update", params: { sessionId: session, update } });
const say = (text) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const call = (toolCallId, status, text) => update({ sessionUpdate: "tool_call", toolCallId, title: "Run", kind: "execute", status,
  rawInput: { command: "it" }, content: [{ type: "content", content: { type: "text", text } }] });
const asked = new Map();
let server;
const ask = (message) => new Promise((resolve) => {
  const [{ command, args }] = servers;
  if (server === undefined) {
    server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"], env: {} });
    createInterface({ input: server.stdout }).on("line", (line) => {
      const answer = JSON.parse(line);
      asked.get(answer.id)?.(answer);
    });
  }
  asked.set(message.id, resolve);
  server.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
});
let servers;
const open = (params) => {
  servers = params.mcpServers;
  session = params.sessionId ?? "s-" + process.pid;
  return { sessionId: session };
};
const requests = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { loadSession: ${loads} } }),
  "session/new": open,
  "session/load": (params) => {
    if (!existsSync(fileOf(params.sessionId))) throw new Error("there is no such session");
    open(params);
    heard = JSON.parse(readFileSync(fileOf(session), "utf8"));
    loaded = true;
    const replay = () => {
      for (const parts of heard) {
        for (const text of parts) update({ sessionUpdate: "user_message_chunk", content: { type: "text", text } });
        say("replayed");
        call("replayed", "completed", "replayed");
      }
    };
    replay();
    late = new Promise((resolve) => setTimeout(() => resolve(replay()), 20));
    return null;
  },
  "session/prompt": async ({ prompt }) => {
    await late;
    const parts = prompt.map(({ text }) => text);
    heard.push(parts);
    const [verb, ...words] = parts.at(-1).split(" ");
    if (verb === "die") process.kill(process.pid, "SIGKILL");
    if (verb === "hang") return void call("hangs", "in_progress", "ready\\n");
    if (verb === "tell") say(JSON.stringify({ loaded, heard }));
    if (verb === "run") execFileSync("sh", ["-ec", words.join(" ")], { stdio: "ignore" });
    if (verb === "call") say(JSON.stringify(await ask(JSON.parse(words.join(" ")))));
    if (verb === "model")
      for (let tries = 0; tries < 3; tries += 1)
        await fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", { method: "POST", body: "{}" });
    if (verb === "fail") {
      say(words.join(" "));
      throw new Error("Internal error: " + words.join(" "));
    }
    if (verb === "cost")
      update({ sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount: Number(words[0]), currency: "USD" } });
    if (verb === "flood") {
      const [count, size, ...template] = words;
      const reviver = (_, value) => (value === "~" ? "x".repeat(Number(size)) : value);
      for (let at = 0; at < Number(count); at++) update(JSON.parse(template.join(" ").replaceAll("#", at), reviver));
    }
    if (verb === "say") say(words.join(" "));
    if (verb === "write") {
      writeFileSync(words[0], "written\\n");
      update({ sessionUpdate: "tool_call", toolCallId: "write", title: "Write", kind: "edit", status: "completed" });
    }
    if (${loads}) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(fileOf(session), JSON.stringify(heard));
    }
    return { stopReason: "end_turn" };
  },
};
createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (!(method in requests)) return;
  try {
    const result = await requests[method](params);
    if (result !== undefined) send({ id, result });
  } catch (error) {
    send({ id, error: { code: -32603, message: error.message } });
  }
});`;

/** Nobody listens there. */
const nowhere = "http://127.0.0.1:1";

/** What an engine needs to have the agent, as plain data. */
export function scriptedAgent(folder: string, loads: boolean): Pick<EngineOptions, "env" | "programs"> {
  const path = join(folder, `claude-agent-acp-${loads ? "loads" : "forgets"}`);
  writeFileSync(path, program(loads));
  chmodSync(path, 0o755);
  return {
    env: { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: nowhere },
    programs: { "claude-agent-acp": path, node: process.execPath },
  };
}
