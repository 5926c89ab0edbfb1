import { once } from "node:events";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { collect, makeBinary, type Binary } from "../../support/binary.ts";
import { commitFiles, makeRepository } from "../../support/git.ts";

let ferry: Binary;
beforeEach(() => {
  ferry = makeBinary();
});
afterEach(() => ferry.dispose());

const file = (name: string): string => join(ferry.folder, "data", name);
const announced = (): { pid: number; version: string } =>
  JSON.parse(readFileSync(file("service.json"), "utf8")) as { pid: number; version: string };
const start = ["service", "start", "--sandbox", "process"] as const;

test("two first uses start one service; status and stop know it", async () => {
  const both = await Promise.all([ferry.run([...start, "--json"]), ferry.run([...start, "--json"])]);
  const pids = both.map(({ stdout }) => (JSON.parse(stdout) as { pid: number }).pid);
  expect(new Set(pids)).toEqual(new Set([announced().pid]));
  expect(both.filter(({ stderr }) => stderr.startsWith("starting the embedded service (its data: "))).toHaveLength(1);

  const status = await ferry.run(["service", "status", "--json"]);
  expect(JSON.parse(status.stdout)).toMatchObject({ running: true, pid: pids[0], version: announced().version });
  // It was used before: now it is the default, without a word.
  expect(await ferry.run(["session", "list"])).toEqual({ code: 0, stdout: "", stderr: "there is none\n" });

  expect(await ferry.run(["service", "stop"])).toMatchObject({
    code: 0,
    stderr: `the embedded service (process ${pids[0] ?? 0}) has stopped\n`,
  });
  expect(ferry.processes()).toEqual([]);
  expect((await ferry.run(["service", "stop"])).stderr).toBe("the embedded service doesn't run\n");
  expect((await ferry.run(["service", "logs", "--lines", "1"])).stdout).toContain('"message":"stopped"');
});

test("stop refuses while a turn is at work; with --yes it ends, and who watches is told, and how to go on", async () => {
  const git = makeRepository(join(ferry.folder, "repo"));
  commitFiles(git, { a: "a" }, "first");
  await ferry.run(start);
  const watching = ferry.start(["run", "--host", "local", "echo begun; sleep 300"], { cwd: git.folder });
  const watched = collect(watching);
  await once(watching.stdout ?? watching, "data");
  const link = git("config", "branch.main.ferrySession");
  await expect.poll(async () => (await ferry.run(["session", "view", link, "--json"])).stdout).toContain('"working"');

  const refused = await ferry.run(["service", "stop"]);
  expect(refused.code).toBe(3);
  expect(refused.stderr).toMatch(
    new RegExp(`^ferry: 1 session is at work, and would be cut short\\n {2}${link} .*\\n {2}hint: .*--yes\\n$`, "u"),
  );
  expect((await ferry.run(["service", "stop", "--yes"])).code).toBe(0);
  const { code, stderr } = await watched;
  expect({ code, last: stderr.split("\n").slice(-3, -1) }).toEqual({
    code: 6,
    last: ["ferry: the embedded service was stopped", `  hint: go on with: ferry tail ${link}`],
  });
  expect((await ferry.run(["tail", link, "--until", "idle"])).stdout).toContain("the service stopped in the middle of this turn");
});

test("an older version is replaced, a killed one started anew, another's key not used", async () => {
  await ferry.run(start);
  const first = announced();
  writeFileSync(file("service.json"), JSON.stringify({ ...first, version: "0.0.9" }));
  await ferry.run(start);
  const second = announced();
  expect(second).toMatchObject({ version: first.version });
  expect(second.pid).not.toBe(first.pid);

  process.kill(second.pid, "SIGKILL");
  expect((await ferry.run(start)).code).toBe(0);
  expect(announced().pid).not.toBe(second.pid);

  chmodSync(file("key"), 0o644);
  const { code, stderr } = await ferry.run(["whoami"]);
  expect(code).toBe(4);
  expect(stderr).toContain(`${file("key")} is not yours alone`);
  chmodSync(file("key"), 0o600);
});

test("one that can't start says why, in one line", async () => {
  writeFileSync(file("ferry.db"), "this is no database, and long enough to be looked at as one".repeat(100));
  const { code, stderr } = await ferry.run(start);
  expect(code).toBe(6);
  expect(stderr).toMatch(/ferry: the embedded service did not start: .*database.*\n {2}hint: see .+service\.log\n$/u);
});
