import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ferry } from "../../support/ferry.ts";
import { freshRepository, useLocalService } from "../../support/local.ts";

const world = useLocalService({ env: { FERRY_HOST: "local" } });
const git = freshRepository(world, { a: "1\n" });

const here = (...argv: string[]) => ferry(world.next({ cwd: git.folder }), "repo", ...argv);

test.each([["view"], ["analysis"], ["analyze"]])("%s registers nothing with the embedded service", async (verb) => {
  expect(await here(verb)).toEqual({
    code: 5,
    stdout: "",
    stderr: "ferry: the embedded service doesn't know this repository yet\n  hint: register it with: ferry repo create\n",
  });
  expect((await here("list", "--json")).stdout).toBe("[]\n");
});

test("the embedded service analyzes nothing, and doesn't say that it will", async () => {
  const { code, stdout } = await here("create");
  expect(code).toBe(0);
  expect(stdout).not.toMatch(/analysis|failed/u);
  const told = "this service can't analyze repositories";
  expect((await here("view")).stdout).toContain(`\nanalysis:       none: ${told} yet\n`);
  expect(await here("analyze")).toEqual({ code: 1, stdout: "", stderr: `ferry: ${told}\n` });
  expect(await here("analysis")).toEqual({ code: 1, stdout: "", stderr: `ferry: ${told}\n` });
});

test("without a name, edit changes the repository of this working copy", async () => {
  await here("create");
  for (const [flag, enabled] of [
    ["--disable", false],
    ["--enable", true],
  ] as const) {
    const { code, stdout } = await here("edit", flag, "--json");
    expect({ code, changed: JSON.parse(stdout) as unknown }).toMatchObject({ code: 0, changed: { enabled } });
  }
  const other = freshRepository(world, { a: "1\n" });
  const { code, stderr } = await ferry(world.next({ cwd: other.folder }), "repo", "edit", "--disable");
  expect({ code, stderr }).toMatchObject({ code: 5, stderr: expect.stringContaining("ferry repo create") as string });
});

test("a provider by its name, for the remote's address; an unknown one is told with those that there are", async () => {
  const clone = freshRepository(world, { a: "1\n" });
  clone("remote", "add", "origin", "git@gitlab.example:acme/shop.git");
  clone("update-ref", "refs/remotes/origin/trunk", "HEAD");
  clone("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk");
  const there = (...argv: string[]) => ferry(world.next({ cwd: clone.folder, env: { TOKEN: "glpat-1" } }), ...argv);
  await there("provider", "create", "--name", "gl", "--base-url", "https://gitlab.example", "--token-env", "TOKEN");
  const { stdout } = await there("repo", "create", "--json", "--provider", "gl");
  expect(JSON.parse(stdout)).toMatchObject({
    full_name: "acme/shop",
    clone_url: "https://gitlab.example/acme/shop.git",
    platform: "gitlab",
    default_branch: "trunk",
  });
  expect(await there("repo", "create", "--provider", "gh")).toEqual({
    code: 5,
    stdout: "",
    stderr: expect.stringMatching(
      /^ferry: local has no provider gh\n {2}prv_\S+ +gl +https:\/\/gitlab.example\n {2}hint: ferry provider list\n$/u,
    ) as string,
  });
});

test("both of two flags that exclude each other are not asked for", async () => {
  const told = "ferry: give one of --enable and --disable, not both\n";
  expect(await here("edit", "x", "--enable", "--disable")).toEqual({ code: 2, stdout: "", stderr: told });
});

describe("what is registered already", () => {
  test("is said, and shown; what is wished for and isn't so is refused", async () => {
    const clone = freshRepository(world, { a: "1\n" });
    const create = (...argv: string[]) => ferry(world.next({ cwd: clone.folder }), "repo", "create", "--json", ...argv);
    const made = JSON.parse((await create()).stdout) as { id: string; full_name: string };
    const told = `already registered as ${made.full_name} (${made.id})\n`;
    const same = { code: 0, stdout: `${JSON.stringify(made)}\n`, stderr: told };
    expect(await create()).toEqual(same);
    expect(await create("--clone-url", clone.folder, "--full-name", made.full_name)).toEqual(same);
    const refused = await ferry(world.next({ cwd: clone.folder }), "repo", "create", "--full-name", "foo");
    expect(refused).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining(`\n  --full-name is ${made.full_name} there\n  hint: leave that out, or`) as string,
    });
    expect(await create("--disabled")).toMatchObject({ code: 2, stderr: expect.stringContaining("--disable") as string });
  });

  test("by ssh and by https, it is one; another port of the same is another server", async () => {
    const create = (address: string) => here("create", "--jq", ".id", "--clone-url", address);
    const { stdout } = await create("https://x.example/acme/one.git");
    const again = await create("git@x.example:acme/one.git");
    expect(again).toMatchObject({ code: 0, stdout, stderr: expect.stringContaining("already registered") as string });
    expect((await create("https://x.example:8443/acme/one.git")).stdout).not.toBe(stdout);
  });
});

test("a path that is no repository, and a branch that isn't there, are refused", async () => {
  const clone = freshRepository(world, { "folder/a": "1\n" });
  for (const path of ["/nope", join(clone.folder, "folder"), join(clone.folder, "folder", "a")])
    expect(await here("create", "--clone-url", path)).toMatchObject({
      code: 2,
      stderr: `ferry: --clone-url ${path} is no git repository\n  hint: give a repository's folder\n`,
    });
  const create = (branch: string) => here("create", "--clone-url", clone.folder, "--default-branch", branch, "--json");
  expect(await create("nope")).toMatchObject({ code: 2, stderr: expect.stringContaining("has no such branch") as string });
  clone("branch", "other");
  expect(JSON.parse((await create("other")).stdout)).toMatchObject({ default_branch: "other" });
});

describe("what the service refuses", () => {
  test.each([
    [["provider", "create", "--name", "x", "--base-url", "nope", "--token-env", "TOKEN"], /^ferry: --base-url: /u],
    [["session", "start", "--model", "nope"], /\nferry: --model: there is no agent "nope" here/u],
    [["session", "start", "--branch", "a..b"], /^ferry: --branch a\.\.b: git takes no branch of that name\n/u],
    [["repo", "create", "--platform", "gitlab", "--clone-url", "https://x.example/a/b"], /^ferry: --provider: is required/u],
  ])("is named by its flag: %j", async (argv, stderr) => {
    const clone = freshRepository(world, { a: "1\n" });
    const there = world.next({ cwd: clone.folder, env: { TOKEN: "glpat-1" } });
    expect(await ferry(there, ...argv)).toMatchObject({ code: 2, stderr: expect.stringMatching(stderr) as string });
  });

  test("where a repository must be named, how", async () => {
    for (const name of ["two", "three"]) await here("create", "--clone-url", `https://x.example/acme/${name}.git`);
    const { code, stderr } = await ferry(world.next({ cwd: world.folder }), "session", "start");
    const told =
      "ferry: --repo: there are several repositories, so one must be named\n  hint: give --repo; ferry repo list shows";
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(told) as string });
  });
});

test("an agent that isn't there is told by what names it, and a disabled repository with a hint that works as it stands", async () => {
  const clone = freshRepository(world, { a: "1\n" });
  const start = (env: Record<string, string>, ...argv: string[]) =>
    ferry(world.next({ cwd: clone.folder, env }), "session", "start", "--host", "local", ...argv);
  const none = 'there is no agent "nope" here; there is ';
  expect((await start({ FERRY_AGENT: "nope" })).stderr).toContain(`ferry: FERRY_AGENT: ${none}`);
  expect((await start({ FERRY_AGENT: "nope" }, "--model", "nope")).stderr).toContain(`ferry: --model: ${none}`);
  const id = (await ferry(world.next({ cwd: clone.folder }), "repo", "create", "--jq", ".id")).stdout.trim();
  await here("edit", id, "--disable");
  const { code, stderr } = await start({}, "--model", "shell");
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining(`hint: ferry repo edit ${id} --enable --host local\n`) as string,
  });
  expect((await here("edit", id, "--enable")).code).toBe(0);
});

test("on a terminal ids are as commands take them", async () => {
  await here("create", "--clone-url", "https://x.example/acme/one.git");
  const { stdout } = await ferry(world.next({}, { tty: true, columns: 40 }), "repo", "list", "--host", "local");
  const [head = "", row = ""] = stdout.split("\n");
  expect(head).toMatch(/^ID +NAME/u);
  const [id = ""] = row.split(" ");
  expect(await here("view", id)).toMatchObject({ code: 0, stdout: expect.stringContaining(id) as string });
});
