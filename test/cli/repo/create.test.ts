import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ferry } from "../../support/ferry.ts";
import { commitFiles, makeRepository, type TestGit } from "../../support/git.ts";
import { answer, makeSeedService, type SeedService } from "../../support/seed-service.ts";
import { makeWorld, type World, type WorldOptions } from "../../support/world.ts";
import type { Send } from "../../../src/host/host.ts";

const url = "https://agents.example.com";
const platform = "https://gitlab.example";

let world: World;
let service: SeedService;
let git: TestGit;
beforeEach(() => {
  service = makeSeedService();
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key } });
  world = world.next({
    env: { PATH: `${sshWith("Host work\n HostName gitlab.example\n User git\n")}:${world.host.env["PATH"] ?? ""}` },
  });
  world.services.set(url, service.send);
  git = makeRepository(join(world.folder, "repo"));
  commitFiles(git, { a: "a" });
});
afterEach(() => world.dispose());

/** A folder with the real ssh, which reads nothing but this configuration. */
function sshWith(config: string): string {
  const folder = join(world.folder, "bin");
  mkdirSync(folder);
  writeFileSync(join(folder, "config"), config);
  writeFileSync(
    join(folder, "ssh"),
    `#!/bin/sh\n: > '${folder}/called'\nPATH=${world.host.env["PATH"] ?? ""} exec ssh -F '${folder}/config' "$@"\n`,
  );
  chmodSync(join(folder, "ssh"), 0o755);
  return folder;
}

function remote(address: string): void {
  git("remote", "add", "origin", address);
  git("update-ref", "refs/remotes/origin/trunk", "HEAD");
  git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk");
}

async function provider(name: string, address = platform): Promise<void> {
  const env = { TOKEN: "glpat-1" };
  const argv = ["provider", "create", "--name", name, "--base-url", address, "--token-env", "TOKEN"];
  expect((await ferry(world.next({ env }), ...argv)).code).toBe(0);
}

async function create(...argv: readonly string[]): Promise<unknown> {
  const { code, stdout, stderr } = await ferry(world.next({ cwd: git.folder }), "repo", "create", "--json", ...argv);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as unknown;
}

/** On a terminal, with a person who answers. */
async function createAsked(answers: Readonly<Record<string, string>>, options: WorldOptions = {}): Promise<unknown> {
  const there = world.next({ cwd: git.folder }, { tty: true, ...options });
  for (const [question, answer] of Object.entries(answers)) there.prompt.expect(question, answer);
  const { code, stdout } = await ferry(there, "repo", "create", "--json");
  expect({ code, open: there.prompt.open }).toEqual({ code: 0, open: [] });
  return JSON.parse(stdout) as unknown;
}

/** The platform as somebody without a credential sees it. */
function publicProjects(answer: (path: string) => { status: number; text: string }): string[] {
  const asked: string[] = [];
  const send: Send = async ({ url: address, headers }) => {
    expect(Object.keys(headers)).toEqual(["accept"]);
    const { pathname } = new URL(address);
    asked.push(pathname);
    const { status, text } = answer(pathname);
    return { status, headers: {}, body: bytes(text), cancel: async () => undefined };
  };
  world.services.set(platform, send);
  return asked;
}

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

test("an ssh alias is resolved: nobody else has the user's configuration", async () => {
  remote("work:acme/shop.git");
  expect(await create()).toMatchObject({
    full_name: "acme/shop",
    clone_url: "git@gitlab.example:acme/shop.git",
    default_branch: "trunk",
  });
});

test("a service of the seed alone is told the one platform that it shows", async () => {
  remote("https://gitlab.example/acme/shop.git");
  expect(await create()).toMatchObject({ platform: "gitlab" });
  const { code, stderr } = await ferry(
    world.next({ cwd: git.folder }),
    "repo",
    "create",
    "--clone-url",
    "/srv/x",
    "--platform",
    "git",
  );
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/platform must be one of/u) as string });
});

test("a folder is registered once, with .git at its end or without", async () => {
  const made = await create("--clone-url", "/srv/shop/.git");
  remote("/srv/shop");
  const again = await ferry(world.next({ cwd: git.folder }), "repo", "create", "--json");
  expect(JSON.parse(again.stdout)).toEqual(made);
  expect(again.stderr).toMatch(/^already registered as /u);
  expect(service.repositories).toHaveLength(1);
});

test("what is unset of a registered one and wished for now is refused, as what is otherwise", async () => {
  await create("--clone-url", "/srv/shop");
  for (const [flag, wish] of [
    ["--external-id", "5"],
    ["--default-branch", "trunk"],
  ] as const) {
    const again = await ferry(world.next({ cwd: git.folder }), "repo", "create", "--clone-url", "/srv/shop", flag, wish);
    expect(again).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining(`\n  ${flag} is empty there\n`) as string,
    });
  }
});

test("and a repository is found again behind it", async () => {
  remote("https://gitlab.example/acme/shop.git");
  const made = await create("--full-name", "other/name");
  git("remote", "set-url", "origin", "work:acme/shop.git");
  const { stdout } = await ferry(world.next({ cwd: git.folder }), "repo", "view", "--json");
  expect(JSON.parse(stdout)).toEqual(made);
});

test("a host that looks like an option never reaches ssh", async () => {
  remote("work:acme/shop.git");
  git("config", "remote.origin.url", "-Fevil:acme/shop.git");
  expect(await create()).toMatchObject({ full_name: "acme/shop" });
  expect(existsSync(join(world.folder, "bin", "called"))).toBe(false);
});

test("insteadOf: a short form is written out, a mirror on this machine is not the address", async () => {
  remote("gh:acme/shop.git");
  git("config", "url.https://github.example/.insteadOf", "gh:");
  expect(await create()).toMatchObject({ clone_url: "https://github.example/acme/shop.git" });
  git("remote", "set-url", "origin", "https://me:secret@github.example/acme/till.git");
  git("config", "url./srv/mirror/.insteadOf", "https://me:secret@github.example/");
  expect(await create()).toMatchObject({ clone_url: "https://github.example/acme/till.git" });
});

test("where the service has a provider for it: that one, over https, with the public project's id", async () => {
  await provider("work");
  remote("work:acme/shop.git");
  const asked = publicProjects(() => ({ status: 200, text: '{"id":4711}' }));
  const [{ id } = {}] = service.providers;
  expect(await create()).toMatchObject({
    clone_url: "https://gitlab.example/acme/shop.git",
    platform: "gitlab",
    code_provider_id: id,
    external_id: "4711",
  });
  expect(asked).toEqual(["/api/v4/projects/acme%2Fshop"]);
});

test.each([
  [404, '{"message":"404 Project Not Found"}'],
  [200, "<html>a portal</html>"],
])("a project that isn't told (%i): asked for on a terminal, left out elsewhere", async (status, text) => {
  await provider("work");
  remote("https://gitlab.example/acme/shop.git");
  publicProjects(() => ({ status, text }));
  expect(await create()).not.toHaveProperty("external_id", expect.stringMatching(/./u));
  git("remote", "set-url", "origin", "https://gitlab.example/acme/till.git");
  expect(await createAsked({ "Project id on gitlab.example": "12" })).toMatchObject({ external_id: "12" });
});

test("several providers: chosen on a terminal, candidates elsewhere", async () => {
  await provider("one");
  await provider("two");
  remote("https://gitlab.example/acme/shop.git");
  publicProjects(() => ({ status: 200, text: '{"id":1}' }));
  const result = await ferry(world.next({ cwd: git.folder }), "repo", "create");
  expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining("hint: name one: --provider ID") as string });
  const [, second] = service.providers;
  const chosen = String(second?.["id"]);
  expect(await createAsked({ "Which provider reaches it?": chosen })).toMatchObject({ code_provider_id: chosen });
});

test("the default branch: the remote says it; where it can't, a person does; main is never assumed", async () => {
  const upstream = makeRepository(join(world.folder, "upstream"));
  commitFiles(upstream, { a: "a" });
  upstream("branch", "-m", "develop");
  git("remote", "add", "origin", "https://unreachable.example/acme/shop.git");
  git("config", `url.${upstream.folder}.insteadOf`, "https://unreachable.example/acme/shop.git");
  expect(await create()).toMatchObject({
    clone_url: "https://unreachable.example/acme/shop.git",
    default_branch: "develop",
  });
  git("config", `url.${upstream.folder}-gone.insteadOf`, "https://unreachable.example/acme/");
  git("remote", "set-url", "origin", "https://unreachable.example/acme/till.git");
  const told = await ferry(world.next({ cwd: git.folder }), "repo", "create");
  expect(told.stdout).toMatch(/^default branch:\s+–$/mu);
  expect(told.stderr).toMatch(
    /; to name it, register it anew: ferry repo delete \S+, then: ferry repo create --default-branch NAME\n$/u,
  );
  git("remote", "set-url", "origin", "https://unreachable.example/acme/well.git");
  expect(await createAsked({ "Default branch:": "trunk" })).toMatchObject({ default_branch: "trunk" });
});

test("an address that the service refuses is the remote's, where nobody gave one", async () => {
  const why = "must be an absolute path or an address of https, http, ssh, git or file";
  world.services.set(url, async (request) =>
    request.method === "POST" ? answer(400, { message: `clone_url: ${why}` }) : service.send(request),
  );
  remote("../upstream.git");
  const refused = (...argv: string[]) => ferry(world.next({ cwd: git.folder }), "repo", "create", ...argv);
  expect(await refused()).toEqual({
    code: 2,
    stdout: "",
    stderr: `ferry: the remote origin, ../upstream.git: ${why}\n  hint: give an address that the service reaches: --clone-url\n`,
  });
  expect((await refused("--clone-url", "../upstream.git")).stderr).toContain(`ferry: --clone-url: ${why}\n`);
});

test("which of several remotes: chosen on a terminal, named elsewhere; none is told", async () => {
  const none = await ferry(world.next({ cwd: git.folder }), "repo", "create");
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining("has no remote") as string });
  for (const name of ["mine", "theirs"]) {
    git("remote", "add", name, `https://x.example/${name}/shop.git`);
    git("symbolic-ref", `refs/remotes/${name}/HEAD`, `refs/remotes/${name}/trunk`);
  }
  const several = await ferry(world.next({ cwd: git.folder }), "repo", "create");
  expect(several).toMatchObject({ code: 2, stderr: "ferry: which remote is it?\n  mine\n  theirs\n  hint: give --clone-url\n" });
  expect(await createAsked({ "Which remote is it?": "theirs" })).toMatchObject({ full_name: "theirs/shop" });
});

test("a default branch that git takes for none is refused before anything is asked for, as --branch is", async () => {
  for (const argv of [
    ["repo", "create", "--clone-url", "https://x.example/a/b.git", "--default-branch", "a b"],
    ["repo", "create", "--default-branch=-x"],
  ])
    expect(await ferry(world.next({ cwd: git.folder }), ...argv)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^ferry: --default-branch (?:a b|-x): git takes no branch of that name\n/u) as string,
    });
  expect(await ferry(world.next({ cwd: git.folder }), "session", "edit", "s1", "--branch", "a..b")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--branch a..b: git takes no branch of that name") as string,
  });
  expect(service.calls).toEqual([]);
});

test("what a person answers is checked, too, and asked for again", async () => {
  await provider("work");
  publicProjects(() => ({ status: 404, text: "{}" }));
  git("remote", "add", "origin", `${platform}/acme/shop.git`);
  const there = world.next({ cwd: git.folder }, { tty: true });
  const answers = [
    ["Default branch:", "a b"],
    ["Default branch:", "trunk"],
    ["Project id", "acme/shop"],
    ["Project id", "12"],
  ] as const;
  for (const [question, given] of answers) there.prompt.expect(question, given);
  const { code, stdout, stderr } = await ferry(there, "repo", "create", "--json");
  expect({ code, open: there.prompt.open }).toEqual({ code: 0, open: [] });
  expect(JSON.parse(stdout)).toMatchObject({ default_branch: "trunk", external_id: "12" });
  expect(stderr).toContain("git takes no branch of the name a b\nacme/shop is no project's id: that is a number\n");
});

test.each([
  ["default_branch is required", "name its default branch: --default-branch NAME"],
  ["body.externalId: Required", "give its id on the platform: --external-id ID"],
  [
    "missing: code_provider_id, external_id",
    "name the provider that reaches it: --provider ID (ferry provider create makes one); give its id on the platform: --external-id ID",
  ],
  ["clone_url is taken (POST /api/v1/repositories: 400)", undefined],
])("a field that the service requires is told with how to give it: %s", async (message, hint) => {
  world.services.set(url, async (request) => {
    if (request.method !== "POST") return service.send(request);
    return answer(400, { statusCode: 400, code: "invalid", error: "Bad Request", message: message.split(" (")[0] });
  });
  const { code, stderr } = await ferry(world.next(), "repo", "create", "--clone-url", "https://x.example/a/b.git");
  expect({ code, stderr }).toEqual({ code: 2, stderr: `ferry: ${message}\n${hint === undefined ? "" : `  hint: ${hint}\n`}` });
});
