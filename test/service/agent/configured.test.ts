import fc from "fast-check";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentsWith, keyVariables, makeAgents } from "../../../src/service/agent/agents.ts";
import type { AgentPlace } from "../../../src/service/agent/agent.ts";
import { splitWords } from "../../../src/base/words.ts";
import { configuredAgents } from "../../../src/service/agent/installed/configured.ts";
import { makeFolder } from "../../support/git.ts";

test("settings of the form agents.NAME.FIELD are agents", () => {
  const settings = {
    sandbox: "bwrap",
    "agents.goose.command": "goose acp --with 'two words'",
    "agents.goose.env": "GOOSE_MODE, GOOSE_KEY",
    "agents.kimi.mounts": "/opt/kimi:/srv/x",
    "agents.kimi.keyless": "true",
    "agents.kimi.network": "registry.example, Files.example:8443",
  };
  expect(configuredAgents(settings)).toEqual([
    { name: "goose", command: ["goose", "acp", "--with", "two words"], mounts: [], env: ["GOOSE_MODE", "GOOSE_KEY"] },
    {
      ...{ name: "kimi", command: [], mounts: ["/opt/kimi", "/srv/x"], env: [], keyless: true },
      network: [
        { host: "registry.example", port: 443 },
        { host: "files.example", port: 8443 },
      ],
    },
  ]);
});

test.each([
  ["agents.kimi.network", "10.0.0.1:99999", '"10.0.0.1:99999" is no host that an agent may reach (HOST or HOST:PORT)'],
  ["agents.kimi.network", "localhost:0", '"localhost:0" is no host that an agent may reach (HOST or HOST:PORT)'],
  ["agents.kimi.command", "kimi acp --x 'a", "a quote in the command line doesn't end"],
])("what can't be read of one agent makes that one unusable: %s %s", async (key, value, why) => {
  const place: AgentPlace = {
    ...{ dist: "/", node: { mounts: [], path: "node" }, find: () => Promise.resolve(undefined) },
    ...{ secret: () => Promise.resolve(undefined), permissions: () => Promise.resolve("allow") },
  };
  const settings = { [key]: value, "agents.kimi.env": "A", "agents.goose.command": "goose acp" };
  const agents = makeAgents(place, () => Promise.resolve(configuredAgents(settings)));
  const told = { message: `${key}: ${why}`, hint: `ferry config unset ${key}` };
  await expect(agents.launch("kimi")).rejects.toMatchObject(told);
  await expect((await agents.find("kimi")).look(place)).rejects.toMatchObject(told);
  await expect(agents.launch("goose")).rejects.toThrow("isn't installed");
  expect(await agents.launch("shell")).toMatchObject({ network: [] });
  const refused = { status: 422, code: "unknown_model", message: 'model: the agent "shell" has no models, and so no "gpt"' };
  await expect(agents.check("shell:gpt")).rejects.toMatchObject(refused);
});

describe("a command line", () => {
  test.each([
    ["a b  c", ["a", "b", "c"]],
    ["  a ", ["a"]],
    [`'a b' "c \\" d" e\\ f ''`, ["a b", 'c " d', "e f", ""]],
    [`x'y'"z"`, ["xyz"]],
    [`"a\\b"`, ["a\\b"]],
    ["$HOME `id`;|&", ["$HOME", "`id`;|&"]],
  ])("%s", (line, words) => {
    expect(splitWords(line)).toEqual(words);
  });

  test.each(["'a", 'b "c', "a\\"])("%s doesn't end", (line) => {
    expect(() => splitWords(line)).toThrow("doesn't end");
  });

  test("whatever the words are, quoted they come back", () => {
    const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
    fc.assert(
      fc.property(fc.array(fc.string()), (words) => {
        expect(splitWords(words.map(quote).join(" "))).toEqual(words);
      }),
    );
  });
});

describe("an agent of the user's own", () => {
  const folder = makeFolder();
  const write = (path: string): string => {
    const full = join(folder.path, path);
    mkdirSync(join(full, ".."), { recursive: true });
    writeFileSync(full, "\x7fELF…");
    chmodSync(full, 0o755);
    return full;
  };
  const goose = write("bin/goose");
  const env: Record<string, string> = { ANTHROPIC_API_KEY: "real", GOOSE_MODE: "auto" };
  const place: AgentPlace = {
    dist: "/dist",
    node: { path: "/usr/bin/node", mounts: [] },
    find: (program) => Promise.resolve(program === "goose" ? goose : undefined),
    secret: (variable) => Promise.resolve(env[variable]),
    permissions: () => Promise.resolve("allow"),
  };
  const launch = (settings: Record<string, string>, model: string) =>
    makeAgents(place, () => Promise.resolve(configuredAgents(settings))).launch(model);

  test("is bound by itself, knows the gateway by the SDKs' variables, and has what it is given by name", async () => {
    const given = await launch({ "agents.goose.command": "goose acp", "agents.goose.env": "GOOSE_MODE MISSING" }, "goose:big");
    expect(given).toMatchObject({
      argv: ["/opt/ferry/agent/goose", "acp"],
      mounts: [{ source: goose, target: "/opt/ferry/agent/goose" }],
      protocol: { model: "big" },
    });
    expect(given.env).toEqual({
      GOOSE_MODE: "auto",
      ANTHROPIC_BASE_URL: "http://gateway.invalid/anthropic",
      ANTHROPIC_API_KEY: "sk-ferry-placeholder",
    });
    expect(given.accesses.map(({ provider, key }) => [provider.name, key])).toEqual([["anthropic", "real"]]);
  });

  test("with mounts is run where it is, and all of them are seen there", async () => {
    const settings = { "agents.goose.command": `${goose} acp`, "agents.goose.mounts": `${join(folder.path, "bin")}:/srv` };
    expect(await launch(settings, "goose")).toMatchObject({
      argv: [goose, "acp"],
      mounts: [
        { source: join(folder.path, "bin"), target: join(folder.path, "bin") },
        { source: "/srv", target: "/srv" },
      ],
    });
  });

  test("a known agent can be another program", async () => {
    const settings = { "agents.claude.command": `${goose} --adapter` };
    expect((await launch(settings, "claude:opus")).argv).toEqual(["/opt/ferry/agent/goose", "--adapter"]);
    expect((await launch(settings, "claude:opus")).env).toMatchObject({ ANTHROPIC_MODEL: "opus" });
  });

  test("what is missing is said with the remedy", async () => {
    await expect(launch({}, "claude")).rejects.toMatchObject({
      message: `the agent "claude" isn't installed: there is no claude-agent-acp`,
      hint: "npm install -g @agentclientprotocol/claude-agent-acp",
    });
    await expect(launch({ "agents.goose.command": "/nonexistent/goose acp" }, "goose")).rejects.toMatchObject({
      message: `the agent "goose" isn't installed: there is no /nonexistent/goose`,
      hint: "there is no program /nonexistent/goose: ferry config set agents.goose.command '…' names another",
    });
    await expect(launch({ "agents.codex.command": goose }, "codex")).rejects.toMatchObject({
      kind: "auth",
      hint: "set OPENAI_API_KEY where the service starts, or: ferry service agents login codex; where it needs none: ferry config set agents.codex.keyless true",
    });
    await expect(launch({}, "nobody")).rejects.toMatchObject({ status: 422 });
  });

  test("one that needs no key is ready without, and has no way to a model, whatever keys there are", async () => {
    const settings = { "agents.goose.command": goose, "agents.goose.keyless": "true" };
    expect(await launch(settings, "goose")).toMatchObject({ accesses: [], env: {} });
    expect(keyVariables("goose", configuredAgents(settings))).toEqual([]);
    const agents = agentsWith(configuredAgents(settings)).filter(({ name }) => name === "goose");
    const none = { ...place, secret: () => Promise.resolve(undefined) };
    for (const here of [place, none]) expect(await agents[0]?.look(here)).toMatchObject({ signedIn: "needs none", remedy: "" });
    await expect(launch({ ...settings, "agents.goose.keyless": "false" }, "goose")).resolves.toHaveProperty("accesses.length", 1);
  });

  test("no agent is told the real key", async () => {
    for (const { name } of agentsWith([])) {
      const settings = { [`agents.${name}.command`]: goose };
      const all = makeAgents({ ...place, secret: () => Promise.resolve("https://real.example") }, () =>
        Promise.resolve(configuredAgents(settings)),
      );
      const { argv, env: told, files } = await all.launch(name);
      expect(JSON.stringify({ argv, files })).not.toContain("real.example");
      if (name !== "claude" && name !== "qwen") expect(JSON.stringify(told)).not.toContain("real.example");
    }
  });
});
