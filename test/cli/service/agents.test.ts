import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { makeContext } from "../../../src/cli/context.ts";
import { chooseAgent } from "../../../src/cli/flows/local/agents.ts";
import { findFolders } from "../../../src/base/folders.ts";
import { serve } from "../../../src/service/serve.ts";
import { ferry } from "../../support/ferry.ts";
import { makeWorld, type World } from "../../support/world.ts";

let world: World;
beforeEach(() => {
  world = makeWorld();
});
afterEach(() => world.dispose());

/** The same world with these programs on its PATH and these variables. */
function withAgents(programs: readonly string[], env: Readonly<Record<string, string>> = {}): World {
  const bin = join(world.folder, "bin");
  mkdirSync(bin, { recursive: true });
  for (const name of programs) {
    writeFileSync(join(bin, name), "\x7fELF…");
    chmodSync(join(bin, name), 0o755);
  }
  const next = world.next({ env });
  const find = (name: string) => Promise.resolve(programs.includes(name) ? join(bin, name) : undefined);
  return { ...next, host: { ...next.host, processes: { ...next.host.processes, find } } };
}

const choose = (given: World, interactive = false) =>
  chooseAgent({
    ...makeContext(given.host, {
      json: false,
      color: "never",
      input: true,
      verbose: false,
      quiet: true,
      yes: false,
      showSecrets: false,
    }),
    interactive,
  });

test("agents are listed with what is missing", async () => {
  const { code, stdout } = await ferry(
    withAgents(["opencode", "gemini"], { OPENAI_API_KEY: "k" }),
    "service",
    "agents",
    "--json",
  );
  expect(code).toBe(0);
  const listed = JSON.parse(stdout) as { name: string; key: string | null; ready: boolean; remedy: string }[];
  expect(listed.map(({ name, key, ready }) => [name, key, ready])).toEqual([
    ["claude", null, false],
    ["codex", "OPENAI_API_KEY", false],
    ["gemini", null, false],
    ["opencode", "OPENAI_API_KEY", true],
    ["qwen", "OPENAI_API_KEY", false],
    ["shell", "needs none", true],
  ]);
  expect(listed.find(({ name }) => name === "codex")?.remedy).toBe("npm install -g @agentclientprotocol/codex-acp");
  expect(listed.find(({ name }) => name === "gemini")?.remedy).toContain("set GEMINI_API_KEY");
});

test("where a service runs, agents are listed with the keys that it was started with, and what this shell alone has is told", async () => {
  const env = { OPENAI_API_KEY: "secret", OPENAI_BASE_URL: "https://models.example/v1" };
  const started = world.next({ env: { ...world.host.env, ...env } });
  const service = await serve({ sandbox: "process", write: () => undefined }, started.host);
  onTestFinished(() => service.stop());
  expect(readFileSync(join(findFolders(world.host).data, "service.json"), "utf8")).not.toContain("secret");

  const list = async (more: Readonly<Record<string, string>>) => {
    const { stdout } = await ferry(withAgents(["opencode", "gemini"], more), "service", "agents", "--json");
    const listed = JSON.parse(stdout) as { name: string; key: string | null; remedy: string }[];
    return Object.fromEntries(listed.map(({ name, key, remedy }) => [name, [key, remedy]]));
  };
  expect(await list({ GEMINI_API_KEY: "k" })).toMatchObject({
    opencode: ["OPENAI_API_KEY", ""],
    gemini: [
      null,
      "the service that runs was started without GEMINI_API_KEY, which this shell has: ferry service stop, and the next command starts it with it; or: ferry service agents login gemini",
    ],
  });
  await service.stop();
  expect(await list({ GEMINI_API_KEY: "k" })).toMatchObject({
    opencode: ["GEMINI_API_KEY", ""],
    gemini: ["GEMINI_API_KEY", ""],
  });
});

describe("how the last turn of an agent went", () => {
  const doctor = async (given: World) => {
    const { stdout } = await ferry(given, "--host", "local", "doctor", "--json");
    return (JSON.parse(stdout) as { name: string }[]).find(({ name }) => name === "agents");
  };
  const note = (turns: Readonly<Record<string, string>>) => {
    const { data } = findFolders(world.host);
    mkdirSync(data, { recursive: true, mode: 0o700 });
    const kept = Object.entries(turns).map(([name, failure]) => [name, { at: "2026-01-01T00:00:00.000Z", failure }] as const);
    writeFileSync(join(data, "last-turns.json"), JSON.stringify(Object.fromEntries(kept)));
  };
  const programs = ["opencode", "gemini"];
  const env = { OPENAI_API_KEY: "k" };

  test("stands in the list of agents", async () => {
    note({ opencode: "", gemini: "it said no" });
    const { stdout } = await ferry(withAgents(programs, env), "service", "agents", "--json");
    const listed = JSON.parse(stdout) as { name: string; last_turn: { failure: string } | null }[];
    expect(listed.map(({ name, last_turn }) => [name, last_turn?.failure])).toEqual([
      ["claude", undefined],
      ["codex", undefined],
      ["gemini", "it said no"],
      ["opencode", ""],
      ["qwen", undefined],
      ["shell", undefined],
    ]);
    expect((await ferry(withAgents(programs, env), "service", "agents")).stdout).toMatch(/^gemini\t.*\tit said no\t/mu);
  });

  test("is told by doctor, with the sign-in of each that is installed", async () => {
    note({ opencode: "", gemini: "it said no" });
    expect(await doctor(withAgents(programs, env))).toMatchObject({
      verdict: "ok",
      says: "gemini (no key; last turn failed), opencode (OPENAI_API_KEY; last turn went well)",
      hint: null,
    });
  });

  test("is a warning where none that is ready went well", async () => {
    note({ opencode: "it said no" });
    expect(await doctor(withAgents(programs, env))).toMatchObject({
      verdict: "warning",
      says: "gemini (no key), opencode (OPENAI_API_KEY; last turn failed)",
      hint: "ferry service agents",
    });
    expect(await doctor(withAgents([]))).toMatchObject({ verdict: "warning", says: "none is installed" });
  });
});

describe("a key", () => {
  const file = () => join(findFolders(world.host).data, "model-keys.json");

  test.each([
    ["claude", "sk-ant-api03-x", "ANTHROPIC_API_KEY"],
    ["claude", "sk-ant-oat01-x", "CLAUDE_CODE_OAUTH_TOKEN"],
    ["opencode", "sk-proj-x", "OPENAI_API_KEY"],
    ["opencode", "AIzaSyx", "GEMINI_API_KEY"],
    ["codex", "something", "OPENAI_API_KEY"],
  ])("for %s of the form %s is %s, in a file that is nobody else's, and makes it ready", async (agent, key, variable) => {
    const { code, stdout, stderr } = await ferry(
      world.next({}, { stdin: `${key}\n` }),
      "service",
      "agents",
      "login",
      agent,
      "--with-token",
    );
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "", stderr: `${variable} is kept for ${agent}\n` });
    expect(JSON.parse(readFileSync(file(), "utf8"))).toEqual({ [variable]: key });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    const listed = await ferry(world.next(), "service", "agents", "--json");
    expect(listed.stdout).toContain(`"name":"${agent}"`);
    expect(listed.stdout).not.toContain(key);
    expect((await ferry(world.next(), "service", "agents", "logout", agent)).code).toBe(0);
    expect(JSON.parse(readFileSync(file(), "utf8"))).toEqual({});
  });

  test.each([
    [["login", "claude", "--with-token"], "", "the key is empty"],
    [["login", "claude", "--with-token"], "two words", "this is no key"],
    [["login", "claude"], "", "no key was given"],
    [["login", "nope"], "", 'there is no agent "nope" that needs a key'],
    [["login", "shell", "--with-token"], "k", 'there is no agent "shell" that needs a key'],
    [["login"], "", "missing the agent's name"],
  ])("%j with %j: %s", async (argv, stdin, message) => {
    const { code, stderr } = await ferry(world.next({}, { stdin }), "service", "agents", ...argv);
    expect({ code, said: stderr.split("\n", 1)[0] }).toEqual({ code: 2, said: `ferry: ${message}` });
  });
});

test("a subscription is for agents that ferry knows one of, where they are installed", async () => {
  const login = (given: World, agent: string) => ferry(given, "service", "agents", "login", agent, "--subscription");
  expect(await login(withAgents([]), "nope")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("there is no agent") as string,
  });
  expect(await login(withAgents(["opencode"]), "opencode")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("hint: give it a key: ferry service agents login opencode\n") as string,
  });
  expect(await login(withAgents([]), "codex")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("hint: npm install -g @agentclientprotocol/codex-acp\n") as string,
  });
});

test("an agent's own sign-in makes it ready, until it is logged out", async () => {
  const script = join(world.folder, "signing-in");
  writeFileSync(
    script,
    `#!${process.execPath}
const answers = { initialize: { protocolVersion: 1, authMethods: [{ id: "account", name: "Account" }] }, authenticate: {}, "session/new": { sessionId: "s" } };
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (method === "authenticate") require("node:fs").writeFileSync(process.env.HOME + "/token", "t");
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method] }) + "\\n");
});`,
  );
  chmodSync(script, 0o755);
  await ferry(world.next(), "config", "set", "agents.mine.command", script);
  const mine = async () => {
    const { stdout } = await ferry(world.next(), "service", "agents", "--json");
    return (JSON.parse(stdout) as { name: string; key: string | null }[]).find(({ name }) => name === "mine")?.key;
  };
  expect(await mine()).toBe(null);
  expect(await ferry(world.next(), "service", "agents", "login", "mine", "--subscription")).toMatchObject({
    code: 0,
    stderr: "mine is signed in\n",
  });
  const home = join(findFolders(world.host).data, "agents/mine/home");
  expect(readFileSync(join(home, "token"), "utf8")).toBe("t");
  expect(statSync(home).mode & 0o777).toBe(0o700);
  expect(await mine()).toBe("its own sign-in");
  expect((await ferry(world.next(), "service", "agents", "logout", "mine")).code).toBe(0);
  expect(await mine()).toBe(null);
});

describe("a run on host local takes", () => {
  const env = { ANTHROPIC_API_KEY: "k" };

  test("what the config or FERRY_AGENT says", async () => {
    expect(await choose(withAgents([], { FERRY_AGENT: "codex:gpt" }))).toEqual({ name: "codex:gpt", from: "FERRY_AGENT" });
    await ferry(world.next(), "config", "set", "agent", "gemini");
    expect(await choose(withAgents([]))).toEqual({ name: "gemini", from: "agent in the config" });
  });

  test("the only one that is ready", async () => {
    expect(await choose(withAgents(["claude-agent-acp", "codex-acp"], env))).toEqual({ name: "claude", from: null });
  });

  test("one of several by asking, or says how to name it where there is nobody to ask", async () => {
    const several = withAgents(["claude-agent-acp", "opencode"], env);
    await expect(choose(several)).rejects.toMatchObject({
      kind: "usage",
      message: "several agents are ready here: claude, opencode",
      hint: expect.stringContaining("--model") as string,
    });
    const asked: string[] = [];
    const select = <T>(_: string, choices: readonly { name: string; value: T }[]): Promise<T> => {
      asked.push(...choices.map(({ name }) => name));
      return Promise.resolve((choices[1] ?? choices[0])?.value as T);
    };
    const host = { ...several.host, prompt: { ...several.host.prompt, select } };
    expect(await choose({ ...several, host }, true)).toEqual({ name: "opencode", from: null });
    expect(asked).toEqual(["claude", "opencode"]);
  });

  test("never shell by itself: with none it says what to install", async () => {
    await expect(choose(withAgents([]))).rejects.toMatchObject({
      message: "no agent is ready here",
      details: expect.arrayContaining(["claude: npm install -g @agentclientprotocol/claude-agent-acp"]) as string[],
      hint: expect.stringContaining("--model shell") as string,
    });
  });
});

test("an agent whose configured command isn't here is not told to configure one", async () => {
  expect((await ferry(world, "config", "set", "agents.goose.command", "goose acp")).code).toBe(0);
  const { stdout } = await ferry(withAgents([]), "service", "agents", "--json");
  const listed = JSON.parse(stdout) as { name: string; remedy: string }[];
  expect(listed.find(({ name }) => name === "goose")?.remedy).toBe(
    "install goose, or name it by its full path: it isn't on PATH",
  );
});
