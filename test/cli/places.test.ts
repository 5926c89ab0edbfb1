import { mkdirSync } from "node:fs";
import { join } from "node:path";
import stringWidth from "string-width";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ferry } from "../support/ferry.ts";
import { commitFiles, gitIn, makeRepository, type TestGit } from "../support/git.ts";
import { makeSeedService, type SeedService } from "../support/seed-service.ts";
import { makeWorld, type World } from "../support/world.ts";

const url = "https://agents.example.com";

let world: World;
let service: SeedService;
let git: TestGit;
beforeEach(async () => {
  service = makeSeedService();
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key } });
  world.services.set(url, service.send);
  git = makeRepository(join(world.folder, "shop"));
  commitFiles(git, { "src/a": "a" });
  git("remote", "add", "origin", "https://x.example/acme/shop.git");
  for (const name of ["shop", "till"])
    expect((await ferry(world.next(), "repo", "create", "--clone-url", `https://x.example/acme/${name}.git`)).code).toBe(0);
});
afterEach(() => world.dispose());

/** Which repository a command in the folder is about. */
async function repositoryIn(folder: string, env: Record<string, string> = {}): Promise<string> {
  const { code, stdout, stderr } = await ferry(world.next({ cwd: folder, env }), "repo", "view", "--jq", ".full_name");
  return code === 0 ? stdout : stderr;
}

describe("the repository is found in", () => {
  test("a subfolder, a linked worktree, a bare repository", async () => {
    expect(await repositoryIn(join(git.folder, "src"))).toBe("acme/shop\n");
    git("worktree", "add", "--quiet", "../linked");
    expect(await repositoryIn(join(world.folder, "linked", "src"))).toBe("acme/shop\n");
    git("clone", "--quiet", "--bare", ".", "../bare.git");
    const bare = gitIn(join(world.folder, "bare.git"));
    bare("remote", "set-url", "origin", "git@x.example:acme/till.git");
    expect(await repositoryIn(bare.folder)).toBe("acme/till\n");
  });

  test("a submodule: its own, not the one around it", async () => {
    makeRepository(join(world.folder, "till"));
    commitFiles(gitIn(join(world.folder, "till")), { b: "b" });
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", join(world.folder, "till"), "lib");
    gitIn(join(git.folder, "lib"))("remote", "set-url", "origin", "https://x.example/acme/till");
    expect(await repositoryIn(join(git.folder, "lib"))).toBe("acme/till\n");
    expect(await repositoryIn(git.folder)).toBe("acme/shop\n");
  });

  test("a fork: by whichever of its remotes the service knows", async () => {
    git("remote", "set-url", "origin", "https://x.example/me/shop.git");
    git("remote", "add", "upstream", "ssh://git@x.example/acme/till.git");
    expect(await repositoryIn(git.folder)).toBe("acme/till\n");
  });

  test("where it is run, also where git set GIT_DIR for another one", async () => {
    const other = makeRepository(join(world.folder, "other"));
    const env = { GIT_DIR: join(other.folder, ".git"), GIT_WORK_TREE: other.folder };
    expect(await repositoryIn(git.folder, env)).toBe("acme/shop\n");
  });
});

test("outside of any repository it is told, with the folder", async () => {
  const folder = join(world.folder, "nowhere");
  mkdirSync(folder);
  const { code, stdout, stderr } = await ferry(world.next({ cwd: folder }), "repo", "view");
  expect({ code, stdout }).toEqual({ code: 5, stdout: "" });
  expect(stderr).toMatch(/^ferry: .*nowhere.*\n/u);
});

test("a remote that is of none of the service's: candidates, nothing guessed", async () => {
  git("remote", "set-url", "origin", "https://y.example/other/thing.git");
  const { code, stderr } = await ferry(world.next({ cwd: git.folder }), "repo", "view");
  expect(code).toBe(5);
  expect(stderr).toMatch(
    /no repository of agents\.example\.com matches.*\n {2}\S+ +acme\/shop.*\n {2}\S+ +acme\/till.*\n {2}hint: .*, or name one of these as REPOSITORY\n$/u,
  );
});

describe("odd things from the service", () => {
  test("on a terminal that isn't UTF-8 there is nothing but ASCII, in columns all the same", async () => {
    await ferry(world.next(), "repo", "create", "--clone-url", "https://x.example/acme/a.git", "--full-name", "acme/日本語—x");
    const there = world.next({}, { tty: true, unicode: false, columns: 40 });
    const { stdout } = await ferry(there, "repo", "list");
    expect(stdout).toMatch(/^[\n\x20-\x7e]+$/u);
    expect(stdout).toContain("acme/??????-x");
    const missing = world.next({}, { tty: true, unicode: false });
    expect((await ferry(missing, "repo", "view", "é…")).stderr).toMatch(/no repository \?~\n/u);
  });

  test("names of every kind: columns stay aligned, JSON is exact", async () => {
    const names = ["a b", `it's "quoted"`, "🚢🚢", "日本語", "עברית", "e\u0301", "\u001b[31mred", "tab\there", "line\nbreak"];
    names.forEach((title, at) => {
      service.sessions.push({ id: `ses_${at}`, title, status: "active", created_at: `2026-01-0${at + 1}T00:00:00Z` });
    });
    const { stdout } = await ferry(world.next(), "session", "list", "--json", "--fields", "title");
    expect((JSON.parse(stdout) as { title: string }[]).map(({ title }) => title).toSorted()).toEqual(names.toSorted());
    const table = (await ferry(world.next({}, { tty: true, columns: 200 }), "session", "list")).stdout;
    expect(table).not.toContain("\u001b[31m");
    expect(table.trimEnd().split("\n")).toHaveLength(names.length + 1);
    const rows = table.trimEnd().split("\n").slice(1);
    expect(new Set(rows.map((line) => stringWidth(line.slice(0, line.indexOf("active"))))).size).toBe(1);
    const piped = (await ferry(world.next(), "session", "list")).stdout.replace(/\n$/u, "").split("\n");
    expect(new Set(piped.map((line) => line.split("\t").length)).size).toBe(1);
  });

  test.each(["a/b", "a?b#c", "../repositories", "-x", "ä b"])("an id %j stays one part of the address", async (id) => {
    service.sessions.push({ id, title: "odd", status: "active", created_at: "2026-01-01T00:00:00Z" });
    service.calls.length = 0;
    const { code } = await ferry(world.next(), "session", "view", "--json", "--", id);
    expect(code).toBe(0);
    expect(service.calls.filter((call) => !call.startsWith("GET /api/v1/sessions"))).toEqual([]);
  });
});
