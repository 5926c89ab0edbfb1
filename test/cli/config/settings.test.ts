import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { configPath } from "../../../src/cli/config/config.ts";
import { ferry, type FerryResult } from "../../support/ferry.ts";
import { makeSeedService } from "../../support/seed-service.ts";
import { makeWorld, type World } from "../../support/world.ts";

let world: World;
beforeEach(() => {
  world = makeWorld();
});
afterEach(() => world.dispose());

const config = (...argv: readonly string[]): Promise<FerryResult> => ferry(world.next(), "config", ...argv);

test("a key is set, told, and gone again; what else is in the file stays", async () => {
  mkdirSync(join(world.folder, "config"));
  writeFileSync(configPath(world.host), '{"version":1,"hosts":[],"theme":"dark"}');
  expect(await config("get", "sandbox")).toMatchObject({ code: 5, stdout: "" });
  expect(await config("set", "sandbox", "unshare")).toEqual({ code: 0, stdout: "", stderr: "sandbox is unshare\n" });
  expect(await config("get", "sandbox")).toEqual({ code: 0, stdout: "unshare\n", stderr: "" });
  expect((await config("list")).stdout).toMatch(
    /^credential_store\t\t\t.*\nsandbox\tunshare\tconfig\t.*\n(sandbox_.*\t\t\t.*\n){3}agent\t/u,
  );
  expect(await config("unset", "sandbox")).toMatchObject({ code: 0, stderr: "sandbox is no longer set\n" });
  expect(await config("unset", "sandbox")).toMatchObject({ code: 0 });
  expect(JSON.parse(readFileSync(configPath(world.host), "utf8"))).toEqual({
    version: 1,
    hosts: [],
    theme: "dark",
    settings: {},
  });
  expect(statSync(configPath(world.host)).mode & 0o777).toBe(0o600);
});

test("the variable wins, and set says so", async () => {
  const env = { FERRY_SANDBOX: "bwrap" };
  const { code, stdout, stderr } = await ferry(world.next({ env }), "config", "set", "sandbox", "unshare", "--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "FERRY_SANDBOX is set and wins over it\n" });
  expect(JSON.parse(stdout)).toMatchObject({ name: "sandbox", value: "bwrap", from: "FERRY_SANDBOX" });
  expect((await config("list", "--fields", "name,value,from")).stdout).toBe(
    `${JSON.stringify([
      { name: "credential_store", value: null, from: null },
      { name: "sandbox", value: "unshare", from: "config" },
      ...["engine", "image", "options"].map((name) => ({ name: `sandbox_${name}`, value: null, from: null })),
      { name: "agent", value: null, from: null },
      { name: "agent_permissions", value: null, from: null },
    ])}\n`,
  );
});

test("two that set at once lose nothing", async () => {
  await Promise.all([config("set", "sandbox", "bwrap"), config("set", "credential_store", "file")]);
  expect((await config("list", "--fields", "value")).stdout).toBe(
    '[{"value":"file"},{"value":"bwrap"},{"value":null},{"value":null},{"value":null},{"value":null},{"value":null}]\n',
  );
});

test("credential_store decides where a login keeps its key", async () => {
  const url = "https://a.example";
  const service = makeSeedService({ key: "key-of-a" });
  world.services.set(url, service.send);
  await config("set", "credential_store", "file");
  const { code, stderr } = await ferry(world.next({}, { stdin: "key-of-a" }), "login", "--host", url, "--with-token");
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("credentials.json") as string });
  expect(await world.keychain.findCredentials("ferry")).toEqual([]);
});

const keys =
  "credential_store, sandbox, sandbox_engine, sandbox_image, sandbox_options, agent, agent_permissions, agents.NAME.command, agents.NAME.mounts, agents.NAME.env, agents.NAME.keyless, agents.NAME.network";

test("what is said of an agent is listed behind the others, and kept", async () => {
  await config("set", "agents.goose.command", "goose acp");
  await config("set", "agents.goose.mounts", "/opt/goose:/srv/models");
  expect((await config("get", "agents.goose.command")).stdout).toBe("goose acp\n");
  expect((await config("list", "--fields", "name")).stdout).toMatch(
    /"agents\.goose\.command"\},\{"name":"agents\.goose\.mounts"\}\]\n$/u,
  );
  expect(await config("unset", "agents.goose.command")).toMatchObject({ code: 0 });
  expect(await config("get", "agents.goose.command")).toMatchObject({ code: 5 });
});

describe("what doesn't fit is one line that names it", () => {
  test.each([
    [["get", "sandbx"], "ferry: there is no key sandbx\n  hint: did you mean sandbox?\n"],
    [["set", "colour", "red"], `ferry: there is no key colour\n  hint: the keys are ${keys}\n`],
    [
      ["set", "agents.goose.env", "GOOSE_KEY=abc"],
      `ferry: agents.goose.env can't be that\n  hint: it is names of variables, never values\n`,
    ],
    [
      ["set", "agents.goose.mounts", "here"],
      `ferry: agents.goose.mounts can't be that\n  hint: it is absolute paths with : between them\n`,
    ],
    [
      ["set", "agents.a.network", "x:99999"],
      `ferry: agents.a.network: "x:99999" is no host that an agent may reach (HOST or HOST:PORT)\n`,
    ],
    [
      ["set", "agents.goose.command", "goose acp --x 'a"],
      `ferry: agents.goose.command: a quote in the command line doesn't end\n`,
    ],
    [["set", "agents.goose.colour", "red"], `ferry: there is no key agents.goose.colour\n  hint: the keys are ${keys}\n`],
    [["set", "sandbox", "process"], `ferry: sandbox can't be that\n  hint: it is auto, bwrap, unshare or oci\n`],
    [["set", "credential_store", "glpat-1"], "ferry: credential_store can't be that\n  hint: it is keychain or file\n"],
    [
      ["set", "sandbox_options", "--", "--label 'a"],
      "ferry: sandbox_options can't be that\n  hint: it is a command line whose quotes end\n",
    ],
    [
      ["set", "sandbox_engine", '"podman'],
      "ferry: sandbox_engine can't be that\n  hint: it is a command line whose quotes end\n",
    ],
    [["set", "sandbox", ""], "ferry: VALUE is empty\n  hint: was it a variable that isn't set?\n"],
    [["set", "sandbox"], "ferry: missing required argument 'value'\n  hint: see ferry config set --help\n"],
  ])("%j", async (argv, stderr) => {
    expect(await config(...argv)).toEqual({ code: 2, stdout: "", stderr });
  });

  test.each([
    ["{", "is no JSON"],
    ['{"version":1,"settings":[]}', ": settings is not an object"],
    ['{"version":1,"settings":{"sandbox":3}}', ": settings.sandbox is not auto, bwrap, unshare or oci"],
  ])("%s", async (text, message) => {
    mkdirSync(join(world.folder, "config"));
    writeFileSync(configPath(world.host), text);
    const { code, stderr } = await config("list");
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(configPath(world.host)) as string });
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(2);
  });
});

test("a value that is wrong is named, and can be replaced or taken away", async () => {
  mkdirSync(join(world.folder, "config"));
  const wrong = '{"version":1,"hosts":[],"settings":{"sandbox":"none","credential_store":5}}';
  writeFileSync(configPath(world.host), wrong);
  expect(await config("list")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("ferry config unset sandbox\n") as string,
  });
  expect(await config("unset", "credential_store")).toMatchObject({ code: 0 });
  expect((await config("get", "sandbox")).code).toBe(2);
  expect(await config("set", "sandbox", "bwrap")).toEqual({ code: 0, stdout: "", stderr: "sandbox is bwrap\n" });
  expect((await config("get", "sandbox")).stdout).toBe("bwrap\n");
});

describe("a key that a newer ferry wrote", () => {
  const text = '{"version":1,"hosts":[],"settings":{"colour":3,"sandbox":"bwrap","agents.Goose.command":1}}';
  const told = "this ferry doesn't know colour, agents.Goose.command; ferry config unset KEY removes one\n";
  beforeEach(() => {
    mkdirSync(join(world.folder, "config"));
    writeFileSync(configPath(world.host), text);
  });

  test("is one line that names it and the file; it stays there until it is unset", async () => {
    const list = await config("list", "--json");
    expect(list).toMatchObject({ code: 0, stderr: expect.stringContaining(`${configPath(world.host)}: ${told}`) as string });
    expect(list.stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(list.stdout).toContain('{"name":"sandbox","value":"bwrap","from":"config"');
    expect((await config("set", "sandbox", "auto")).code).toBe(0);
    const kept = (): unknown => (JSON.parse(readFileSync(configPath(world.host), "utf8")) as { settings: unknown }).settings;
    expect(kept()).toEqual({ colour: 3, sandbox: "auto", "agents.Goose.command": 1 });
    expect(await config("unset", "colour")).toEqual({ code: 0, stdout: "", stderr: "colour is no longer set\n" });
    expect(kept()).toEqual({ sandbox: "auto", "agents.Goose.command": 1 });
    expect((await config("unset", "colour")).code).toBe(2);
  });

  test("stops no other command", async () => {
    const service = makeSeedService();
    world.services.set("https://a.example", service.send);
    const env = { FERRY_HOST: "https://a.example", FERRY_API_KEY: service.key };
    const { code, stderr } = await ferry(world.next({ env }), "session", "list", "--json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining(told) as string });
  });
});

test("a value that is written to its key is not said back", async () => {
  for (const verb of [
    ["set", "agent=hunter2", "x"],
    ["get", "x=hunter2"],
    ["unset", "agents.a.env=hunter2"],
  ])
    expect(await config(...verb)).toEqual({
      code: 2,
      stdout: "",
      stderr: `ferry: there is no key ${verb[1]?.split("=")[0] ?? ""}=…\n  hint: write it as ferry config set KEY VALUE\n`,
    });
});

test("its keys are completed, and what they can be", async () => {
  const values = async (...words: string[]) => (await ferry(world.next(), "complete", "--", "config", "set", ...words)).stdout;
  expect(await values("credential_store", "")).toBe("keychain\t\nfile\t\n");
  expect(await values("sandbox_image", "")).toBe("");
  const { stdout } = await ferry(world, "complete", "--", "config", "set", "sa");
  expect(stdout).toMatch(/^sandbox\twhat locks .*\n(sandbox_.*\n){3}$/u);
});

test("agent takes only one that there is, or that the config speaks of", async () => {
  expect(await config("set", "agent", "claud:opus")).toEqual({
    code: 2,
    stdout: "",
    stderr:
      "ferry: there is no agent claud\n  the agents are claude, codex, gemini, opencode, qwen, shell\n  hint: did you mean claude?\n",
  });
  expect((await config("set", "agent", "nope")).stderr).toContain("\n  hint: another one is set up by agents.NAME.command\n");
  expect((await config("set", "agent", "claude:opus")).code).toBe(0);
  await config("set", "agents.nope.command", "nope acp");
  expect((await config("set", "agent", "nope")).code).toBe(0);
});
