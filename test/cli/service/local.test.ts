import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findLocal } from "../../../src/cli/flows/local/find.ts";
import { typedId } from "../../../src/base/ids.ts";
import { logs } from "../../../src/cli/commands/service/logs.ts";
import { collect, makeBinary, type Binary } from "../../support/binary.ts";
import { makeDeep } from "../../support/deep.ts";
import { commitFiles, makeRepository } from "../../support/git.ts";
import { jq, makeWorld } from "../../support/world.ts";

let ferry: Binary;
beforeEach(() => {
  ferry = makeBinary();
});
afterEach(() => ferry.dispose());

const file = (name: string): string => join(ferry.folder, "data", name);
const announced = (): { pid: number; version: string } =>
  JSON.parse(readFileSync(file("service.json"), "utf8")) as { pid: number; version: string };
const start = ["service", "start", "--sandbox", "process"] as const;

test.each<[readonly string[], RegExp]>([
  [["--listen", "127.0.0.1"], /^ferry: --listen is about --port, and there is no --port\n {2}hint: add --port NUMBER\n$/u],
  [["--behind-proxy", "https://a.example"], /^ferry: --behind-proxy is about --port, /u],
  [["--port", "0", "--listen", "0.0.0.0"], /--tls-cert FILE --tls-key FILE\), or say .* \(--behind-proxy URL\)/u],
  [["--port", "0", "--tls-cert", "c.pem", "--tls-key", "k.pem"], /^ferry: --tls-cert: there is no file \/\S+\/c\.pem\n/u],
  [["--role", "api"], /^ferry: --role api needs a database that several processes share \(DATABASE_URL, PostgreSQL\)\n/u],
  [["--role", "worker"], /^ferry: --role worker needs /u],
])("serve %j is refused before anything is there", async (argv, said) => {
  expect(await ferry.run(["serve", ...argv])).toEqual({ code: 2, stdout: "", stderr: expect.stringMatching(said) as string });
  expect(existsSync(file("ferry.db"))).toBe(false);
});

test("two first uses start one service; status and stop know it", async () => {
  const both = await Promise.all([ferry.run([...start, "--json"]), ferry.run([...start, "--json"])]);
  const pids = both.map(({ stdout }) => (JSON.parse(stdout) as { pid: number }).pid);
  expect(new Set(pids)).toEqual(new Set([announced().pid]));
  expect(both.filter(({ stderr }) => stderr.startsWith("starting the embedded service (its data: "))).toHaveLength(1);

  const status = await ferry.run(["service", "status", "--json"]);
  expect(JSON.parse(status.stdout)).toMatchObject({ running: true, pid: pids[0], version: announced().version });
  const again = await ferry.run(start);
  expect(again).toMatchObject({ code: 0, stdout: "" });
  expect(again.stderr).toContain(
    `it runs as it was started, whatever ${start.slice(2).join(" ")} says now: ferry service stop, then this once more`,
  );
  // It was used before: now it is the default, without a word.
  expect(await ferry.run(["session", "list"])).toEqual({ code: 0, stdout: "", stderr: "no sessions\n" });

  expect(await ferry.run(["service", "stop"])).toMatchObject({
    code: 0,
    stderr: `the embedded service (process ${pids[0] ?? 0}) has stopped\n`,
  });
  expect(ferry.processes()).toEqual([]);
  expect((await ferry.run(["service", "stop"])).stderr).toBe("the embedded service doesn't run\n");
  expect((await ferry.run(["service", "logs", "--lines", "1"])).stdout).toContain('"message":"stopped"');
});

test("its log is JSON lines alone, and the help's example reads it, with what a start that failed left in it", async () => {
  await ferry.run(start);
  await ferry.run(["service", "stop"]);
  const lines = readFileSync(file("service.log"), "utf8").trimEnd().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { message: string }).message)).toContain("listening");

  const failed = JSON.stringify({ time: "2026-01-01T00:00:00.000Z", level: "error", message: "it broke" });
  appendFileSync(file("service.log"), `ferry: it can't start\n  hint: do this\n${failed}\n`);
  const { stdout } = await ferry.run(["service", "logs", "--lines", "500"]);
  const [example = ""] = logs.examples.filter((each) => each.includes("jq"));
  const [, expression = ""] = /\| jq -R '(.*)'$/u.exec(example) ?? [];
  // What -R makes of lines.
  const input = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.stringify(line))
    .join("\n");
  expect(await jq({ input, expression, flags: ["-c", "--"] }, new AbortController().signal)).toMatchObject({
    stdout: `${failed}\n`,
    exitCode: 0,
  });
});

test("one whose service.json was taken away is found by its lock, and stopped when that is wanted", async () => {
  await ferry.run(start);
  const { pid } = announced();
  rmSync(file("service.json"));
  expect(await ferry.run(["service", "stop"])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(`(process ${pid}) runs, but can't be asked whether a turn is at work`) as string,
  });
  expect((await ferry.run(["service", "stop", "--yes"])).stderr).toBe(`the embedded service (process ${pid}) has stopped\n`);
  expect(ferry.processes()).toEqual([]);
});

test("its log is followed, also where a start puts it aside for its size", async () => {
  mkdirSync(join(ferry.folder, "data"), { recursive: true });
  writeFileSync(file("service.log"), `${"x".repeat(100)}\n`.repeat(110_000));
  const following = ferry.start(["service", "logs", "--follow", "--lines", "1"]);
  const followed = collect(following);
  let seen = "";
  following.stdout?.on("data", (chunk: Buffer) => (seen += chunk.toString()));
  await once(following.stdout ?? following, "data");
  expect(seen).toBe(`${"x".repeat(100)}\n`);

  await ferry.run(start);
  await ferry.run(["service", "stop"]);
  expect(statSync(file("service.log.1")).size).toBe(11_110_000);
  await expect.poll(() => seen).toContain('"message":"stopped"');
  following.kill("SIGINT");
  expect(await followed).toEqual({ code: 130, stdout: seen, stderr: "ferry: interrupted\n" });
  expect(seen).toMatch(/^x{100}\n\{.*"message":"listening"/su);
});

test("stop refuses while a turn is at work; with --yes it ends, and who watches is told, and how to go on", async () => {
  const git = makeRepository(join(ferry.folder, "repo"));
  commitFiles(git, { a: "a" }, "first");
  await ferry.run(start);
  const watching = ferry.start(["run", "--host", "local", "--model", "shell", "echo begun; sleep 300"], { cwd: git.folder });
  const watched = collect(watching);
  await once(watching.stdout ?? watching, "data");
  const link = git("config", "branch.main.ferrySession");
  await expect.poll(async () => (await ferry.run(["session", "view", link, "--json"])).stdout).toContain('"working"');

  const refused = await ferry.run(["service", "stop"]);
  expect(refused.code).toBe(3);
  expect(refused.stderr).toMatch(
    new RegExp(`^ferry: 1 session is at work, and would be cut short\\n {2}${typedId(link)} .*\\n {2}hint: .*--yes\\n$`, "u"),
  );
  expect((await ferry.run(["service", "stop", "--yes"])).code).toBe(0);
  const { code, stderr } = await watched;
  expect({ code, last: stderr.split("\n").slice(-3, -1) }).toEqual({
    code: 6,
    last: ["ferry: the embedded service was stopped", `  hint: go on with: ferry tail ${typedId(link)} --host local`],
  });
  expect((await ferry.run(["tail", link, "--until", "idle"])).stdout).toContain("the service stopped in the middle of this turn");
});

test("reset deletes what the service keeps and nothing else, after a yes; the next start begins anew", async () => {
  await ferry.run(start);
  const { id } = JSON.parse(
    (await ferry.run(["key", "create", "k", "--scopes", "all:read", "--json", "--show-secrets"])).stdout,
  ) as { id: string };
  writeFileSync(file("mine.txt"), "mine");
  mkdirSync(file("sessions/ses_old"), { recursive: true });
  makeDeep(file("sessions/ses_old"), "unsaved");
  const before = readFileSync(file("origin"), "utf8");
  expect(await ferry.run(["service", "reset"])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /^ferry: not done: .*: sessions, .*repositories, providers with their tokens, users and API keys\?\n.*--yes\n$/su,
    ) as string,
  });
  expect((await ferry.run(["key", "list", "--jq", ".[].id"])).stdout).toContain(id);

  const { code, stdout } = await ferry.run(["service", "reset", "--yes", "--json"]);
  expect({ code, told: JSON.parse(stdout) as unknown }).toEqual({
    code: 0,
    told: { running: false, data: file(".").replace(/\/\.?$/u, "") },
  });
  expect({ left: readdirSync(file(".")), processes: ferry.processes() }).toEqual({ left: ["mine.txt"], processes: [] });
  expect((await ferry.run(["service", "reset", "--yes"])).code).toBe(0);

  await ferry.run(start);
  expect((await ferry.run(["key", "list", "--jq", ".[].id"])).stdout).not.toContain(id);
  expect(readFileSync(file("origin"), "utf8")).not.toBe(before);
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

describe("one that can't start says why, in one line, and what to do", () => {
  test.each([
    [
      "the database is none",
      () => writeFileSync(file("ferry.db"), "no database, and long enough to be looked at".repeat(100)),
      /the service's database can't be opened: .*\/ferry\.db: .*\n {2}hint: move the file away/u,
    ],
    [
      "the seal is damaged",
      () => writeFileSync(file("seal"), "short"),
      /the key for stored tokens is damaged: .*\/seal\n {2}hint: put it back/u,
    ],
    [
      "others can open the folder",
      () => chmodSync(file("."), 0o755),
      /not this user's alone: .*\/data\n {2}hint: make it so \(chmod go= /u,
    ],
  ])("%s", async (_, damage, expected) => {
    damage();
    const { code, stderr } = await ferry.run(start);
    expect(code).toBe(6);
    expect(stderr).toMatch(/^ferry: the embedded service did not start: /mu);
    expect(stderr).toMatch(expected);
  });
});

test("a variable of the service's that says what it can't is refused before one starts; a flag comes before it", async () => {
  const env = { FERRY_SANDBOX: "box" };
  expect(await ferry.run(["whoami", "--host", "local"], { env })).toEqual({
    code: 2,
    stdout: "",
    stderr: `ferry: FERRY_SANDBOX can't be "box"\n  hint: it is auto, bwrap, unshare or oci\n`,
  });
  expect(existsSync(file("service.log"))).toBe(false);
  expect(await ferry.run(start, { env })).toMatchObject({ code: 0 });
});

test.each(["garbage", "null", "5", "[]", "{}", '{"pid":1}', '{"pid":"1","start_time":{},"socket":3}', ""])(
  "a service.json that says %j is no running service",
  async (damaged) => {
    const world = makeWorld();
    mkdirSync(join(world.folder, "data"), { mode: 0o700 });
    writeFileSync(join(world.folder, "data", "service.json"), damaged);
    expect(await findLocal(world.host)).toBeUndefined();
    await world.dispose();
  },
);

test("after damaged files of a service that is gone the next one starts", async () => {
  for (const name of ["service.json", "service.lock"]) writeFileSync(file(name), "garbage");
  expect((await ferry.run(start)).code).toBe(0);
  expect(announced().pid).toBeGreaterThan(0);
});

describe("while it runs", () => {
  beforeEach(async () => {
    expect((await ferry.run(start)).code).toBe(0);
  });

  test("a damaged service.json doesn't let a second one start, and the first is named", async () => {
    const { pid } = announced();
    writeFileSync(file("service.json"), "garbage");
    const { code, stderr } = await ferry.run(start);
    expect(code).toBe(6);
    expect(stderr).toContain(`another service (process ${pid}) has this data folder`);
    expect(stderr).toContain(`kill ${pid}`);
  });

  test("a key that is gone, or a link, is named", async () => {
    const { pid } = announced();
    renameSync(file("key"), file("kept"));
    expect(await ferry.run(["whoami", "--host", "local"])).toEqual({
      code: 4,
      stdout: "",
      stderr: `ferry: ${file("key")} is gone, though the service runs\n  hint: end it (kill ${pid}): the next start makes a new one\n`,
    });
    symlinkSync(file("kept"), file("key"));
    const linked = await ferry.run(["whoami", "--host", "local"]);
    expect(linked.stderr).toContain("hint: it must be a file of yours, and no link to one\n");
    expect({ code: linked.code, line: linked.stderr.split("\n")[0] }).toEqual({
      code: 4,
      line: `ferry: ${file("key")} is not yours alone`,
    });
    rmSync(file("key"));
    renameSync(file("kept"), file("key"));
  });
});
