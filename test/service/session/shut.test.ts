import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeTestEngine, type TestEngine } from "../../support/engine.ts";
import { type EngineChild, startEngineChild } from "../../support/engine-child.ts";
import { commitFiles, gitIn, makeFolder, makeRepository } from "../../support/git.ts";
import { isRoot } from "../../support/sandbox-suite.ts";

/** A user that modes of files hold for, as they don't for root. */
const uid = 65_534;

let folder: ReturnType<typeof makeFolder>;
let data: string;
let origin: string;
let base: string;
let engine: TestEngine | undefined;
let others: EngineChild[] = [];

beforeEach(() => {
  folder = makeFolder();
  data = join(folder.path, "data");
  origin = join(folder.path, "origin");
  mkdirSync(data);
  base = commitFiles(makeRepository(origin), { a: "1\n" });
  execFileSync("chown", ["-R", `${uid}:${uid}`, folder.path]);
});

afterEach(async () => {
  for (const { child } of others) child.kill("SIGKILL");
  await engine?.close();
  [engine, others] = [undefined, []];
  folder.remove();
});

/** The ordinary user's service, with a session of its own. */
async function start(messages: readonly string[], limits = {}): Promise<EngineChild> {
  const started = await startEngineChild({
    options: { data, limits },
    path: origin,
    session: { base_commit: base },
    messages,
    uid,
  });
  others.push(started);
  return started;
}

async function kill({ child }: EngineChild): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

/** What a session's timeline says after a service was killed in a turn with the script, and another started. */
async function saidAfter(script: string, limits = {}): Promise<{ id: string; said: string[] }> {
  const first = await start([`${script}; echo ready; sleep 1000`]);
  await first.printed("ready");
  await kill(first);
  await kill(await start([], limits));
  engine = await makeTestEngine({ data });
  const session = await engine.store.sessions.find(first.session);
  if (session === undefined) throw new Error("the session is lost");
  const said = (await engine.events(session)).flatMap((event) =>
    event.type === "system_message" ? [event.payload.message] : [],
  );
  return { id: first.session, said };
}

/** It is another user's here. */
const safe = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "safe.directory", GIT_CONFIG_VALUE_0: "*" };
const interruption = "the service stopped in the middle of this turn";
const sandboxes = (): string[] => readdirSync(join(data, "sandboxes")).filter((name) => name.startsWith("sbx_"));

describe.runIf(isRoot)("an ordinary user's service that was killed", () => {
  test.each(["555 .", "000 .", "000 ..", "000 .. ."])("brings home a workspace that its agent shut (chmod %s)", async (shut) => {
    const { id, said } = await saidAfter(`echo w > w; chmod ${shut}`);
    expect({ said, sandboxes: sandboxes() }).toEqual({ said: [interruption], sandboxes: [] });
    expect(gitIn(join(data, "sessions", id, "repo.git"), safe)("show", "refs/ferry/uncommitted:w")).toBe("w");
  });

  test("keeps one that a filter shuts while it is saved", async () => {
    const filter = "printf 'f filter=x\\n' > .gitattributes; git config filter.x.clean 'chmod 555 .; sleep 1000'";
    const { id, said } = await saidAfter(`${filter}; git config filter.x.required true; echo precious > f`, { saving: 500 });
    const place = join(data, "sessions", id, "unsaved");
    expect(said).toEqual([expect.stringContaining(`${interruption}; what it did is kept in ${place} until you remove it`)]);
    expect(readFileSync(join(place, "f"), "utf8")).toBe("precious\n");
    expect(sandboxes()).toEqual([]);
  });

  test("starts beside one that it can't take out, and leaves that where it is", async () => {
    const { said } = await saidAfter("echo precious > w; chmod 500 ../../../sessions/*");
    const [sandbox = ""] = sandboxes();
    const path = join(data, "sandboxes", sandbox);
    expect(said).toEqual([
      expect.stringMatching(`^${interruption}; what it did can't be saved, and stays in ${path}/repo \\(EACCES`),
    ]);
    expect(readFileSync(join(path, "repo", "w"), "utf8")).toBe("precious\n");
  });
});
