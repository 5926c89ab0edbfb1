import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Session } from "../../../src/wire/resources.ts";
import { makeDeep } from "../../support/deep.ts";
import { makeTestEngine, type TestEngine } from "../../support/engine.ts";
import { type EngineChild, startEngineChild } from "../../support/engine-child.ts";
import { commitFiles, gitIn, makeFolder, makeRepository } from "../../support/git.ts";

/** What comes of a turn whose service is killed (SIGKILL) in the middle of it. */
let folder: ReturnType<typeof makeFolder>;
let data: string;
let origin: string;
let base: string;
let engine: TestEngine | undefined;
let other: EngineChild | undefined;

beforeEach(() => {
  folder = makeFolder();
  data = join(folder.path, "data");
  mkdirSync(data);
  origin = join(folder.path, "origin");
  base = commitFiles(makeRepository(origin), { a: "1\n" });
});

afterEach(async () => {
  other?.child.kill("SIGKILL");
  await engine?.close();
  [engine, other] = [undefined, undefined];
  folder.remove();
});

/** Runs the script in a turn and kills the service when it has printed "ready". Gives the session's id. */
async function killedIn(script: string): Promise<string> {
  other = await startEngineChild({
    options: { data },
    path: origin,
    session: { base_commit: base },
    messages: [`${script}; echo ready; sleep 1000`],
  });
  await other.printed("ready");
  other.child.kill("SIGKILL");
  await once(other.child, "exit");
  return other.session;
}

async function startAgain(id: string, options = {}): Promise<{ engine: TestEngine; session: Session; said: string[] }> {
  const started = await makeTestEngine({ data, ...options });
  engine = started;
  const session = await started.store.sessions.find(id);
  if (session === undefined) throw new Error("the session is lost");
  const said = (await started.events(session)).flatMap((event) =>
    event.type === "system_message" ? [event.payload.message] : [],
  );
  return { engine: started, session, said };
}

const interruption = "the service stopped in the middle of this turn";
const kept = (id: string): string => join(data, "sessions", id, "unsaved");
const only = (id: string): string[] => readdirSync(join(data, "sessions", id)).filter((name) => /^(taken|unsaved)$/u.test(name));
const work = "echo 2 > a; git commit -qam own; echo 3 > a; echo new > n; : > .git/index.lock";

test("its commits come home, and what it had not committed is there for the next", async () => {
  const id = await killedIn(work);
  const { engine: again, session, said } = await startAgain(id);
  expect({ said, only: only(id) }).toEqual({ said: [interruption], only: [] });
  expect(session).toMatchObject({
    status: "active",
    agent_status: "failed",
    head_commit: expect.not.stringMatching(base) as string,
  });
  expect(session.sandbox_id).toBeUndefined();
  const manifest = await again.sessions.manifest(id, { after: "", until: "", cursor: "" });
  expect(manifest.items.map(({ subject }) => subject)).toEqual(["own"]);
  expect(manifest.left_behind).toBeUndefined();

  await again.work(session, "git status --porcelain; cat a n");
  const outputs = (await again.events(session)).flatMap((event) =>
    event.type === "agent_run_repository_command" ? [event.payload.output] : [],
  );
  expect(outputs.at(-1)).toBe(" M a\n?? n\n3\nnew\n");
});

test.each([
  [
    "before it lay in the new sandbox",
    (taken: string, workspace: string) => {
      renameSync(workspace, taken);
      mkdirSync(workspace);
    },
  ],
  [
    "before there was one",
    (taken: string, workspace: string) => {
      renameSync(workspace, taken);
    },
  ],
])("a second kill, %s, loses none of it", async (_, interrupt) => {
  const id = await killedIn(work);
  const [sandbox = ""] = readdirSync(join(data, "sandboxes")).filter((name) => name.startsWith("sbx_"));
  interrupt(join(data, "sessions", id, "taken"), join(data, "sandboxes", sandbox, "repo"));
  const { session, said } = await startAgain(id);
  expect({ said, only: only(id) }).toEqual({ said: [interruption], only: [] });
  const repository = gitIn(join(data, "sessions", id, "repo.git"));
  expect(repository("log", "--format=%s", `${base}..${session.head_commit ?? ""}`)).toBe("own");
  expect(repository("show", "refs/ferry/uncommitted:n")).toBe("new");
});

test("a repository that git can't read is kept as it is, and that is told", async () => {
  const id = await killedIn("echo precious > kept; rm -rf .git");
  const { engine: again, said } = await startAgain(id);
  expect(said).toEqual([
    expect.stringMatching(
      `^${interruption}; what it did is kept in ${kept(id)} until you remove it, or a later turn's takes its place; .* \\(git in the sandbox: fatal: not a git repository`,
    ),
  ]);
  expect(readFileSync(join(kept(id), "kept"), "utf8")).toBe("precious\n");
  expect(only(id)).toEqual(["unsaved"]);
  expect((await again.sessions.manifest(id, { after: "", until: "", cursor: "" })).left_behind).toBe(
    `${interruption}: what it did is not among these commits, and kept in ${kept(id)}`,
  );
  expect(readdirSync(join(data, "sandboxes")).filter((name) => name.startsWith("sbx_"))).toEqual([]);
});

test("what was kept of an earlier turn gives way to it, however deep it is", async () => {
  const id = await killedIn("echo precious > kept; rm -rf .git");
  makeDeep(join(data, "sessions", id), "unsaved");
  const { said } = await startAgain(id);
  expect(said).toEqual([
    expect.stringContaining(
      `what it did is kept in ${kept(id)} until you remove it, or a later turn's takes its place; run no git on it`,
    ),
  ]);
  expect(readFileSync(join(kept(id), "kept"), "utf8")).toBe("precious\n");
  await expect.poll(() => readdirSync(join(data, "trash"))).toEqual([]);
});

test("one that git waits in for ever holds the start up for as long as saving a turn may take", async () => {
  const id = await killedIn("echo precious > kept; mkfifo pipe; git config include.path ../pipe");
  const { said } = await startAgain(id, { limits: { saving: 500 } });
  expect(said).toEqual([
    expect.stringMatching(/; what it did is kept in .* \(there was no time: it took longer than 0\.\d s\)$/u),
  ]);
  expect(existsSync(join(kept(id), "kept"))).toBe(true);
});
