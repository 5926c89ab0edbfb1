import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Payload } from "../../../src/wire/event.ts";
import type { Session } from "../../../src/wire/resources.ts";
import { makeTestEngine, type TestEngine } from "../../support/engine.ts";
import { commitFiles, gitIn, makeFolder, makeRepository } from "../../support/git.ts";

const folder = makeFolder();
let engine: TestEngine;
beforeAll(async () => void (engine = await makeTestEngine()));
afterAll(async () => {
  await engine.close();
  folder.remove();
});

/** Ten lines that no other file has. */
const text = (name: string): string => Array.from({ length: 10 }, (_, at) => `${name} has a line ${at}\n`).join("");

async function begin(name: string, base: string): Promise<Session> {
  return engine.start(await engine.register(join(folder.path, name)), { base_commit: base });
}

/** What a script did to files. */
async function changed(session: Session, script: string): Promise<Payload[]> {
  const before = (await engine.events(session)).length;
  await engine.work(session, script);
  return (await engine.events(session))
    .slice(before)
    .map(({ payload }) => payload)
    .filter(({ type }) => /^agent_file_/u.test(type));
}

test("moves and copies are told as what they are, edited on the way, too; an empty file is no copy", async () => {
  const files = { "a.txt": text("a"), "b.txt": text("b"), "c.txt": text("c"), empty: "" };
  const session = await begin("small", commitFiles(makeRepository(join(folder.path, "small")), files));
  const script = `cp a.txt copy.txt; mv b.txt moved.txt; echo more >> moved.txt
cp c.txt edited.txt; echo more >> edited.txt; echo other >> c.txt; : > void; sed 's/10/11/' a.txt > "odd
name"`;
  expect(await changed(session, script)).toEqual([
    expect.objectContaining({ type: "agent_file_edit", file_path: "c.txt" }),
    { type: "agent_file_copy", repository_id: session.repository_id, source_path: "a.txt", destination_path: "copy.txt" },
    expect.objectContaining({ type: "agent_file_copy", source_path: "c.txt", destination_path: "edited.txt" }),
    expect.objectContaining({
      type: "agent_file_move",
      source_path: "b.txt",
      destination_path: "moved.txt",
      diff: expect.stringMatching(/similarity index \d\d%[^]*\n\+more\n/u) as string,
    }),
    { type: "agent_file_copy", repository_id: session.repository_id, source_path: "a.txt", destination_path: "odd\nname" },
    expect.objectContaining({ type: "agent_file_create", file_path: "void" }),
  ]);
});

test("in a huge repository it is no other, and keeps no command waiting; of edited moves 400 are known", async () => {
  const repository = makeRepository(join(folder.path, "huge"));
  const many = 20_000;
  execFileSync("git", ["fast-import", "--quiet"], {
    cwd: repository.folder,
    input: [
      "commit refs/heads/main\ncommitter A <a@b> 1 +0000\ndata 4\nmany\n",
      ...Array.from({ length: many }, (_, at) => {
        const content = text(String(at));
        return `M 644 inline d${at % 200}/f${at}.txt\ndata ${content.length}\n${content}\n`;
      }),
    ].join(""),
  });
  const session = await begin("huge", repository("rev-parse", "main"));
  await changed(session, "true");
  const started = performance.now();
  const told = await changed(session, "cp d1/f1.txt copy.txt; mv d2/f2.txt moved.txt; cp d3/f3.txt near.txt; echo x >> near.txt");
  expect(told).toEqual([
    expect.objectContaining({ type: "agent_file_copy", source_path: "d1/f1.txt", destination_path: "copy.txt" }),
    expect.objectContaining({ type: "agent_file_move", source_path: "d2/f2.txt", destination_path: "moved.txt" }),
    expect.objectContaining({ type: "agent_file_create", file_path: "near.txt" }),
  ]);
  // Compared with each of the 20,000 it took many seconds; most of this is git's look at all files, twice.
  expect(performance.now() - started).toBeLessThan(20_000);

  const move = (folders: string): string =>
    `for file in ${folders}; do mv $file $file.new; echo x >> $file.new; done; git config diff.renameLimit 0`;
  const few = await changed(session, move("d1[0-2]/*.txt"));
  expect(new Set(few.map(({ type }) => type))).toEqual(new Set(["agent_file_move"]));
  const all = await changed(session, move("d2[0-4]/*.txt"));
  expect(new Set(all.map(({ type }) => type))).toEqual(new Set(["agent_file_create", "agent_file_remove"]));
});

test.each([
  ["is no index", "printf garbage > .git/index"],
  ["was cut off", "head -c 150 .git/index > i; mv i .git/index"],
  ["is a folder", "rm .git/index; mkdir .git/index"],
  ["is gone", "rm .git/index"],
  ["leads nowhere", "ln -sf index .git/index"],
  [
    "names what isn't there",
    "echo s > s; touch -d '1 hour ago' s; git add s; rm -rf .git/objects/$(git rev-parse :s | head -c 2)",
  ],
])("an index that %s is done without: nothing that is tracked is lost, and filters still run", async (what, script) => {
  const name = what.replaceAll(/\W/gu, "");
  const repository = makeRepository(join(folder.path, name));
  const files = { a: text("a"), tracked: "though ignored\n", ".gitattributes": "*.up filter=up\n" };
  commitFiles(repository, files);
  const session = await begin(name, commitFiles(repository, { ".gitignore": "tracked\n" }));
  await engine.work(session, "git config filter.up.clean 'tr a-z A-Z'");
  const edited = `echo more >> a; echo low > x.up; ${script}`;
  expect((await changed(session, edited)).map((payload) => "file_path" in payload && payload.file_path)).toEqual(
    expect.not.arrayContaining(["tracked"]) as string[],
  );
  const { agent_status, head_commit = "" } = await engine.work(session, "echo again > again");
  const home = gitIn(join(engine.data, "sessions", session.id, "repo.git"));
  expect({ agent_status, up: home("show", `${head_commit}:x.up`) }).toEqual({ agent_status: "idle", up: "LOW" });
  const expected = [...Object.keys(files), ".gitignore", "again", "x.up"];
  expect(home("ls-tree", "--name-only", head_commit).split("\n")).toEqual(expect.arrayContaining(expected));
});
