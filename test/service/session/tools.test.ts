import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Reach } from "../../../src/service/agent/gateway/tunnels.ts";
import { chooseDriver, makeDrivers } from "../../../src/service/sandbox/registry.ts";
import type { SessionEvent } from "../../../src/wire/event.ts";
import type { Session } from "../../../src/wire/resources.ts";
import { makeTestEngine, type TestEngine } from "../../support/engine.ts";
import { commitFiles, gitBytes, gitIn, makeFolder, makeRepository, type TestGit } from "../../support/git.ts";
import { type GitServer, serveGit } from "../../support/git-http.ts";
import { machine } from "../../support/sandbox.ts";
import { scriptedAgent } from "../../support/scripted-agent.ts";

const folder = makeFolder();
const first = makeRepository(join(folder.path, "first"));
let engine: TestEngine;
let server: GitServer;
let up: TestGit;
let session: Session;

/** A real sandbox, in which the agent calls the tools, and an origin behind HTTP that wants a token, which only the service has. */
beforeAll(async () => {
  commitFiles(first, { a: "1\n2\n3\n", b: "b\n" }, "base");
  gitBytes(folder.path, ["clone", "--quiet", "--bare", "first", "up.git"]);
  up = gitIn(join(folder.path, "up.git"));
  server = await serveGit(folder.path, "oauth2", token);
  const { driver } = await chooseDriver("auto", makeDrivers(machine));
  const data = join(folder.path, "data");
  mkdirSync(data);
  const network = [{ host: "files.example", port: 8080 }];
  const configured = ["claude", "shell"].map((name) => ({ name, command: [], mounts: [], env: [], network }));
  engine = await makeTestEngine({ data, driver, configured, reach, ...scriptedAgent(folder.path, false) });
  const repository = await register(`${server.url}/up.git`, await engine.provide(server.url, token));
  session = await engine.start(repository, { model: "claude", auto_commit: false, branch_name: "work", base_branch: "main" });
});
afterAll(async () => {
  await engine.close();
  await server.stop();
  folder.remove();
});

const token = "glpat-secret";
/** What hosts the sandbox got to; all are the origin's server. */
const reached: string[] = [];
const reach: Reach = {
  resolve: (host) => Promise.resolve([host === "files.example" ? "203.0.113.5" : "203.0.113.6"]),
  async connect(address, port) {
    reached.push(`${address}:${port}`);
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    await once(socket, "connect");
    return socket;
  },
};
const register = (address: string, provider: string) =>
  engine.register(address, { default_branch: "main", platform: "gitlab", code_provider_id: provider });

let calls = 0;

/** Lets the agent do something, and gives what that added to the timeline. */
async function letIt(message: string, at = session): Promise<readonly SessionEvent["payload"][]> {
  const before = (await engine.events(at)).length;
  await engine.work(at, message);
  return (await engine.events(at)).slice(before + 1).map(({ payload }) => payload);
}

/** Lets the agent call a tool: what it was answered, and the events of that. */
async function use(name: string, args: object = {}, at = session) {
  const request = { id: ++calls, method: "tools/call", params: { name, arguments: args } };
  const payloads = await letIt(`call ${JSON.stringify(request)}`, at);
  const said = payloads.flatMap((payload) => (payload.type === "agent_message" ? [payload.message] : [])).at(-1) ?? "";
  const { result } = JSON.parse(said) as { result: { content: { text: string }[]; isError: boolean } };
  const events = payloads.filter(({ type }) => type !== "agent_message");
  return { text: result.content[0]?.text ?? "", failed: result.isError, events };
}

const commit = (message: string) => `git add -A; git commit -q -m '${message}'`;

test("what the branch and the working copy have is told, and taken back", async () => {
  await letIt(`run echo 2 > b; ${commit("second")}; echo x >> a; echo new > new; git add new; echo other > other`);
  const head = expect.stringMatching(/^[0-9a-f]{40}$/u) as string;
  const compared = await use("branch_diff");
  expect(compared.text).toContain("-b\n+2\n");
  expect(compared.events).toEqual([
    expect.objectContaining({ type: "agent_branch_diff", base: session.base_commit, head, diff: compared.text }),
  ]);
  const open = await use("uncommitted_changes");
  expect(open.text).toContain("Not committed:\n- a\n- new\n- other\n");
  expect(open.events).toEqual([expect.objectContaining({ type: "agent_uncommitted_changes", paths: ["a", "new", "other"] })]);

  const soft = await use("rollback_uncommitted_changes", { paths: ["a"] });
  expect(soft.events).toEqual([expect.objectContaining({ type: "agent_rollback_uncommitted_changes", paths: ["a"] })]);
  const hard = await use("rollback_uncommitted_changes", { mode: "hard" });
  expect(hard.events).toEqual([expect.objectContaining({ paths: ["new", "other"] })]);
  expect((await use("uncommitted_changes")).text).toBe("Nothing is uncommitted.");
});

test("the origin's branches are brought in, merged, and given up, and the session's own is pushed by the service", async () => {
  expect(await use("pull_from_remote")).toMatchObject({
    failed: false,
    events: [{ type: "agent_pull_from_remote", branch: "main", commit: session.base_commit }],
  });
  const theirs = commitFiles(first, { a: "theirs\n", c: "c\n" }, "theirs");
  first("push", "--quiet", up.folder, "HEAD:main", "HEAD:refs/heads/feature/x");
  await letIt(`run echo mine > a; ${commit("mine")}`);

  expect((await use("check_mergeability", { branch: "main" })).events).toMatchObject([
    { type: "agent_check_target_branch_mergeability", target_branch: "main", mergeable: false, paths: ["a"] },
  ]);
  const merged = await use("merge_remote_branch", { branch: "feature/x" });
  expect(merged.events).toMatchObject([
    { type: "agent_merge_remote_branch", branch: "feature/x", commit: theirs, paths: ["a"] },
    { type: "agent_conflict_state", paths: ["a"] },
  ]);
  expect((await use("conflict_state")).text).toBe("A merge is open.\nIn conflict:\n- a");
  expect((await use("rollback_uncommitted_changes")).text).toContain("a merge is open: abort that");
  expect((await use("abort_merge")).events).toMatchObject([{ type: "agent_abort_conflict_resolution" }]);
  expect((await use("abort_merge")).failed).toBe(true);

  const pushed = await use("push_to_remote");
  expect(pushed.events).toMatchObject([{ type: "agent_push_to_remote", branch: "work", commit: up("rev-parse", "work") }]);
  expect(up("log", "--format=%s", "main..work")).toBe("mine\nsecond");
  // Not by force.
  await letIt("run git commit -q --amend -m other");
  expect(await use("push_to_remote")).toMatchObject({ failed: true, events: [] });
  expect(up("log", "-1", "--format=%s", "work")).toBe("mine");
});

test("a hostile caller gets nothing: no option, path, ref or address of its own, and no password", async () => {
  const bad: [string, object][] = [
    ["pull_from_remote", { branch: "--upload-pack=touch /tmp/x" }],
    ["pull_from_remote", { branch: "main:refs/heads/main" }],
    ["pull_from_remote", { branch: "../../../etc" }],
    ["pull_from_remote", { branch: "main", repository: "/etc" }],
    ["merge_remote_branch", { branch: "nowhere" }],
    ["merge_remote_branch", { branch: ["main"] }],
    ["check_mergeability", {}],
    ["rollback_uncommitted_changes", { paths: ["../repo"] }],
    ["rollback_uncommitted_changes", { paths: ["/etc/passwd"] }],
    ["rollback_uncommitted_changes", { mode: "--hard" }],
    ["push_to_remote", { branch: "main", force: "yes" }],
  ];
  const script = bad.map(([name, args], at) => ({ id: 1000 + at, method: "tools/call", params: { name, arguments: args } }));
  for (const request of script) {
    const payloads = await letIt(`call ${JSON.stringify(request)}`);
    expect(payloads.map(({ type }) => type)).toEqual(["agent_message"]);
    expect(JSON.stringify(payloads)).toContain('\\"isError\\":true');
    expect(JSON.stringify(payloads)).not.toContain("secret");
  }
  // A remote, an alias, a hook and a credential helper of its own are nothing to the service.
  await letIt(
    "run git config alias.push '!touch /tmp/x'; git remote add origin /nowhere; git config core.sshCommand false;" +
      " mkdir -p .git/hooks; printf '#!/bin/sh\\nexit 1\\n' > .git/hooks/pre-push; chmod +x .git/hooks/pre-push",
  );
  expect((await use("pull_from_remote")).failed).toBe(false);
  const inside = await letIt("run ! grep -rq secret /repo/.git /home/agent && ! env | grep -q secret");
  expect(inside).toEqual([]);
});

test("a provider's token goes to its own origin, not where that sends git, and to no other address; a wrong one is named", async () => {
  const provider = await engine.provide(server.url, token);
  const given: string[] = [];
  const elsewhere = createServer((request, response) => {
    given.push(request.headers.authorization ?? "");
    response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
  }).listen(0, "127.0.0.1");
  await once(elsewhere, "listening");
  const other = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  server.redirect("/moved.git", other);
  const begin = async (address: string, id: string) => engine.start(await register(address, id), { model: "claude" });

  await expect(begin(`${server.url}/moved.git`, provider)).rejects.toThrow(/can't be read/u);
  expect(given).toEqual([]);
  await expect(begin(`${other}/up.git`, provider)).rejects.toThrow(/can't be read/u);
  expect(given.filter((authorization) => authorization !== "")).toEqual([]);
  const stale = await engine.provide(server.url, "glpat-stale");
  await expect(begin(`${server.url}/up.git`, stale)).rejects.toThrow(`the token of its code provider ${stale} is refused`);
  elsewhere.close();

  // What git was given beside its environment, and what lies on the disk.
  const files = spawnSync("grep", ["-rlF", token, join(folder.path, "data"), up.folder], { encoding: "utf8" });
  expect(files.stdout).toBe("");
  expect(engine.log.join("\n")).not.toContain(token);
});

test("a program in the sandbox reaches the hosts that the user lists, by the proxy that it is told of, and no other", async () => {
  const get = (host: string) => `curl -s -o /dev/null --max-time 20 --proxytunnel http://${host}:8080/`;
  await letIt(
    `run ${get("files.example")}; ! ${get("other.example")}; ! curl -s --noproxy '*' http://203.0.113.5:8080/; touch got`,
  );
  expect(reached).toEqual(["203.0.113.5:8080"]);
  expect((await use("uncommitted_changes")).text).toContain("\n- got\n");
});

test("so does a script of the agent without a model, which has none of the tools", async () => {
  const at = await engine.start(await register(`${server.url}/up.git`, await engine.provide(server.url, token)), {
    model: "shell",
  });
  const before = [...reached];
  await letIt("set -e; curl -s -o got --max-time 20 --proxytunnel http://files.example:8080/; ls /run/ferry > sockets", at);
  expect(reached).toEqual([...before, "203.0.113.5:8080"]);
  const seen = (await letIt("cat sockets", at)).flatMap((payload) =>
    payload.type === "agent_run_repository_command" ? [payload.output] : [],
  );
  expect(seen).toEqual(["hosts.sock\n"]);
});

test("a GitLab's address without .git, which it answers by a redirect, is the one with it: to read, to fetch and to push", async () => {
  server.redirect("/up/", `${server.url}/elsewhere`);
  const at = await engine.start(await register(`${server.url}/up/`, await engine.provide(server.url, token)), {
    ...{ model: "claude", auto_commit: false, branch_name: "without", base_branch: "main" },
  });
  expect(await use("pull_from_remote", {}, at)).toMatchObject({ failed: false });
  await letIt(`run echo more > more; ${commit("more")}`, at);
  expect(await use("push_to_remote", {}, at)).toMatchObject({ failed: false });
  expect(up("log", "-1", "--format=%s", "without")).toBe("more");
});

test("a repository of the user's own on this machine is pulled from, and never pushed to", async () => {
  const own = makeRepository(join(folder.path, "own"));
  const base = commitFiles(own, { a: "1\n" }, "base");
  const at = await engine.start(await engine.register(own.folder), { model: "claude", base_commit: base, base_branch: "main" });
  const next = commitFiles(own, { a: "2\n" }, "next");
  expect(await use("pull_from_remote", {}, at)).toMatchObject({ text: `origin/main is ${next}; the branch is there now.` });
  await letIt("write file", at);
  expect(await use("push_to_remote", {}, at)).toMatchObject({ failed: true, events: [] });
  expect(own("for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
});

test("a model that can't be reached is told while the agent tries again, once in a turn", async () => {
  expect(await letIt("model")).toEqual([
    {
      type: "system_message",
      message: expect.stringMatching(/^the model's provider can't be reached: .*; the agent may try again$/u) as string,
    },
  ]);
  expect(await letIt("model")).toHaveLength(1);
});

test("what made the agent fail is told once, also where it says so itself and its adapter puts something before it", async () => {
  const reason = "API Error: the model is out to lunch";
  expect(await letIt(`fail ${reason}`)).toEqual([{ type: "agent_message", message: reason }]);
});
