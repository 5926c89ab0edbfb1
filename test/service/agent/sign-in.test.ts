import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { signIn, type Way } from "../../../src/service/agent/sign-in/sign-in.ts";
import { keepSignIn } from "../../../src/service/agent/sign-in/store.ts";
import { systemFiles } from "../../../src/host/files.ts";
import { makeTestEngine } from "../../support/engine.ts";
import { commitFiles, makeFolder, makeRepository } from "../../support/git.ts";

let folder: ReturnType<typeof makeFolder>;
let home: string;
beforeEach(() => {
  folder = makeFolder();
  home = join(folder.path, "home");
  mkdirSync(home);
});
afterEach(() => folder.remove());

/** An agent that signs in into its HOME, and begins no session before. With `lies` it only says so. */
function makeAgent(ways: readonly object[], lies = false): string[] {
  const program = join(folder.path, "agent.js");
  writeFileSync(
    program,
    `const fs = require("node:fs"), path = process.env.HOME + "/.fake/auth.json";
const answers = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {}, authMethods: ${JSON.stringify(ways)} }),
  authenticate: () => {
    console.error("open https://sign-in.example/?code=1\\x1b[2J");
    fs.mkdirSync(process.env.HOME + "/.fake", { recursive: true });
    if (!${lies} && !fs.existsSync(path)) fs.writeFileSync(path, "token of " + process.env.WHO);
    return {};
  },
  "session/new": () => {
    if (!fs.existsSync(path)) throw new Error("Authentication required");
    return { sessionId: "s" };
  },
  "session/prompt": () => {
    const text = fs.readFileSync(path, "utf8") + ", " + (process.env.HTTPS_PROXY ? "with" : "without") + " network";
    const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
    send({ method: "session/update", params: { sessionId: "s", update } });
    return { stopReason: "end_turn" };
  },
};
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (!(method in answers)) return;
  try { send({ id, result: answers[method]() }); } catch (error) { send({ id, error: { code: -32000, message: error.message, data: { details: "no token" } } }); }
});`,
  );
  return [process.execPath, program];
}

const account = { id: "account", name: "With an account", type: "agent" };
const key = { id: "fake-api-key", name: "Use a key" };

async function run(argv: readonly string[], code = 0) {
  const told: string[] = [];
  const attached: (readonly string[])[] = [];
  const asked: Way[] = [];
  const method = await signIn(argv, {
    ...{ agent: "fake", env: { PATH: process.env["PATH"], WHO: "ada" }, home, version: "0" },
    choose: (ways) => {
      asked.push(...ways);
      return Promise.resolve(ways[1]?.id ?? "");
    },
    tell: (line) => void told.push(line),
    attach: (words, env) => {
      attached.push([...words, env["HOME"] ?? "", env["MODE"] ?? ""]);
      return Promise.resolve(code);
    },
  });
  return { method, told, attached, asked: asked.map(({ id }) => id) };
}

test("an agent signs in into the HOME that it is given, and what it says is told as plain lines", async () => {
  const { method, told } = await run(makeAgent([key, account]));
  expect(method).toBe("account");
  expect(told).toEqual([expect.stringMatching(/^open https:\/\/sign-in\.example\/\?code=1[^\x1b]*$/u)]);
  expect(readFileSync(join(home, ".fake/auth.json"), "utf8")).toBe("token of ada");
});

test("of several ways one is chosen; one in a terminal is the agent's own command there", async () => {
  const terminal = { id: "tui", name: "In a terminal", type: "terminal", args: ["login"], env: { MODE: "x" } };
  const argv = makeAgent([account, terminal]);
  const { method, asked, attached } = await run(argv);
  expect({ method, asked, attached }).toEqual({
    method: "",
    asked: ["account", "tui"],
    attached: [[...argv, "login", home, "x"]],
  });
  expect(existsSync(join(home, ".fake"))).toBe(false);
  await expect(run(argv, 3)).rejects.toThrow("isn't signed in: it ended with exit status 3");
});

test("one that only says that it is signed in isn't, nor is one that knows but keys, or dies", async () => {
  await expect(run(makeAgent([account], true))).rejects.toThrow("isn't signed in: Authentication required: no token");
  await expect(run(makeAgent([key]))).rejects.toMatchObject({ hint: "ferry service agents login fake" });
  await expect(run(["false"])).rejects.toThrow("ended before it was signed in");
  await expect(run([join(folder.path, "nowhere")])).rejects.toThrow("can't be run");
});

test("a sandbox of the agent gets a copy of what it signed in with, and the hosts that the user lists", async () => {
  const [, program = ""] = makeAgent([account]);
  const data = join(folder.path, "data");
  mkdirSync(join(data, "agents/other/home/.fake"), { recursive: true });
  writeFileSync(join(data, "agents/other/home/.fake/auth.json"), "token of bob");
  await keepSignIn(systemFiles, data, "other", "account");
  const configured = [
    {
      ...{ name: "other", command: [program], mounts: [], env: [] },
      network: [{ host: "account.example", port: 443 }],
    },
  ];
  const engine = await makeTestEngine({ data, configured, programs: { node: process.execPath } });
  const base = commitFiles(makeRepository(join(folder.path, "repository")), { a: "1\n" });
  const session = await engine.start(await engine.register(join(folder.path, "repository")), {
    base_commit: base,
    model: "other",
  });
  await engine.work(session, "who are you?");
  const told = (await engine.events(session)).map(({ payload }) => payload);
  expect(told.at(-1)).toMatchObject({ type: "agent_message", message: "token of bob, with network" });
  await engine.close();
});
