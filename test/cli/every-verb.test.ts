import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { commandTree } from "../../src/cli/help/tree.ts";
import { ferry, type FerryResult } from "../support/ferry.ts";
import { commitFiles, makeRepository, type TestGit } from "../support/git.ts";
import { makeSeedService, type SeedService } from "../support/seed-service.ts";
import { makeWorld, type World } from "../support/world.ts";

const url = "https://agents.example.com";

// Every verb that talks to a service, against one that has the seed's interface alone, and refuses with 400 each body field and query
// parameter that the seed doesn't show.
let world: World;
let service: SeedService;
let git: TestGit;

beforeEach(() => {
  service = makeSeedService();
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key, TOKEN: "glpat-abcdefghijkl1234", PAGER: "cat" } });
  world.services.set(url, service.send);
  git = makeRepository(join(world.folder, "repo"));
  commitFiles(git, { a: "a" });
  git("remote", "add", "origin", "https://x.example/acme/shop.git");
  service.providers.push({ id: "p1", name: "work", platform: "gitlab", base_url: "https://x.example", metadata: {} });
  service.repositories.push({ id: "r1", full_name: "acme/shop", clone_url: "https://x.example/acme/shop.git" });
  service.sessions.push({ id: "s1", branch_name: "main", status: "active", agent_status: "idle", title: "a title" });
  service.events.set("s1", []);
  service.analyses.set("r1", { metadata: { languages: ["Go"] }, components: [] });
  git("config", "branch.main.ferrySession", "s1");
});
afterEach(() => world.dispose());

const call = (argv: readonly string[]): Promise<FerryResult> => ferry(world.next({ cwd: git.folder }, { stdin: "" }), ...argv);

/** What such a service can do. */
const works: readonly (readonly string[])[] = [
  ["run", "--pull", "none", "do it"],
  ["tail", "--until", "idle"],
  ["events"],
  ["say", "go on"],
  ["hook", "install"],
  ["hook", "status"],
  ["hook", "run", "post-merge"],
  ["hook", "uninstall"],
  ["session", "list", "--status", "active", "--user", "u1", "--include", "mr_pipeline_summary", "--limit", "3"],
  ["session", "view"],
  ["session", "start", "--branch", "fix/x", "--model", "m1", "--auto-commit", "-m", "hello"],
  ["session", "edit", "s1", "--branch", "fix/y", "--no-auto-commit"],
  ["session", "wait"],
  ["session", "link", "s1"],
  ["session", "unlink"],
  ["message", "send", "s1", "hello"],
  ["message", "list"],
  ["repo", "list", "--limit", "5"],
  ["repo", "view"],
  ["repo", "create", "--clone-url", "https://x.example/acme/other.git"],
  ["repo", "edit", "acme/shop", "--disable"],
  ["repo", "analyze"],
  ["repo", "analysis"],
  ["repo", "delete", "acme/shop", "--yes"],
  ["provider", "list"],
  ["provider", "view", "work"],
  ["provider", "create", "--name", "b", "--token-env", "TOKEN"],
  ["provider", "edit", "work", "--name", "job"],
  ["provider", "delete", "work", "--yes"],
  ["whoami"],
  ["auth", "status"],
  ["auth", "token"],
  ["api", "GET", "sessions"],
];

/** What it can't, for which the extension is needed: one line, and exit 1. */
const told: readonly (readonly string[])[] = [
  ["session", "open"],
  ["session", "cancel"],
  ["session", "close"],
  ["key", "list"],
  ["key", "create", "x", "--scopes", "all:all"],
  ["key", "revoke", "x", "--yes"],
  ["schedule", "list"],
  ["schedule", "view", "x"],
  ["schedule", "create", "x", "--every", "1d", "do it"],
  ["schedule", "edit", "x", "--enable"],
  ["schedule", "delete", "x", "--yes"],
  ["schedule", "run", "x"],
  ["schedule", "runs", "x"],
];

/** What needs no service, is about logging in to one, or looks for the commits elsewhere: their own tests have them. */
const elsewhere = [
  "pull",
  "diff",
  "patch",
  "login",
  "logout",
  "auth switch",
  "config",
  "serve",
  "service",
  "doctor",
  "completion",
];

describe("works with the seed alone", () => {
  test.each(works)("%s %s %s", async (...argv) => {
    const { code, stderr } = await call(argv);
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  });

  test.each(works.filter(([, verb]) => verb !== "GET" && verb !== "token"))("%s %s %s, as JSON", async (...argv) => {
    const { code, stdout } = await call([...argv, "--json"]);
    expect(code).toBe(0);
    for (const line of stdout.trim().split(/\n(?=[[{])/u)) if (line !== "") JSON.parse(line);
  });

  test.each(works)("%s %s %s, quietly: nothing but data", async (...argv) => {
    expect(await call([...argv, "--quiet"])).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("is told plainly by a service of the seed alone", () => {
  test.each(told)("%s %s", async (...argv) => {
    const { code, stdout, stderr } = await call(argv);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^ferry: (this service|agents\.example\.com) [^\n]+\n( {2}hint: [^\n]+\n)?$/u);
  });
});

test("none is left out", async () => {
  const program = await commandTree();
  const all = program.commands.flatMap(({ name, commands }) =>
    commands.length === 0 ? [name] : commands.map((verb) => `${name} ${verb.name}`),
  );
  const tried = [...works, ...told].map((argv) => argv.join(" "));
  const missing = all.filter(
    (verb) => ![...tried, ...elsewhere].some((one) => `${one} `.startsWith(`${verb} `) || `${verb} `.startsWith(`${one} `)),
  );
  expect(missing).toEqual([]);
});
