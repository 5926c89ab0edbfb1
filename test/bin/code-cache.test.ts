import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { layOutHelp } from "../../src/cli/help/layout.ts";
import { commandTree } from "../../src/cli/help/tree.ts";
import { makeBinary, type Binary } from "../support/binary.ts";

let ferry: Binary;
beforeEach(() => {
  ferry = makeBinary();
});
afterEach(() => ferry.dispose());

const code = (): string => join(ferry.folder, "state", "code");
/** The files of the cache, which are of one build and one Node. */
function files(): string[] {
  const [build = ""] = readdirSync(code());
  return readdirSync(join(code(), build)).map((name) => join(code(), build, name));
}
const helpCache = (): string => files().find((path) => path.endsWith("help-core.js.cache")) ?? "";

test("the help of the built program is that of the sources, and the version needs nothing", async () => {
  const program = await commandTree();
  const run = async (...argv: string[]) => (await ferry.run(argv)).stdout;
  expect(await run("--help")).toBe(layOutHelp(program, program, 80));
  const session = program.commands.find(({ name }) => name === "session");
  const list = session?.commands.find(({ name }) => name === "list");
  expect(await run("session", "ls", "--help")).toBe(list && layOutHelp(list, program, 80));
  expect(await run("session", "list", "--json", "--help")).toBe(list && layOutHelp(list, program, 80));
  expect(await run("--version")).toBe("ferry 0.1.0\n");
});

test("what was compiled is kept for the next run, for this user alone", async () => {
  const first = await ferry.run(["help", "environment"]);
  expect(statSync(code()).mode & 0o777).toBe(0o700);
  expect(new Set(files().map((path) => statSync(path).mode & 0o777))).toEqual(new Set([0o600]));
  const before = statSync(helpCache()).mtimeMs;
  expect(await ferry.run(["help", "environment"])).toEqual(first);
  expect(statSync(helpCache()).mtimeMs).toBe(before);
});

test("what is damaged, or what others could have written, is not run but made anew", async () => {
  const expected = await ferry.run(["help", "environment"]);
  const good = readFileSync(helpCache());
  writeFileSync(helpCache(), "no code at all");
  expect(await ferry.run(["help", "environment"])).toEqual(expected);
  expect(readFileSync(helpCache()).length).toBeGreaterThan(good.length / 2);
  chmodSync(helpCache(), 0o666);
  expect(await ferry.run(["help", "environment"])).toEqual(expected);
  expect(statSync(helpCache()).mode & 0o777).toBe(0o600);
});

test.runIf(process.getuid?.() === 0)("root under sudo leaves nothing in what may be another user's home", async () => {
  await ferry.run(["help", "environment"], { env: { SUDO_UID: "1000" } });
  expect(existsSync(code())).toBe(false);
  await ferry.run(["help", "environment"], { env: { SUDO_UID: "" } });
  expect(existsSync(code())).toBe(true);
});

test.runIf(process.platform === "linux")("a home that takes no folders, or is none, costs only the haste", async () => {
  const env = { XDG_STATE_HOME: "", FERRY_STATE_DIR: "" };
  expect((await ferry.run(["help", "environment"], { env: { ...env, HOME: "/proc" } })).code).toBe(0);
  for (const home of ["", "."]) {
    mkdirSync(join(ferry.folder, home, ".local"), { recursive: true });
    expect((await ferry.run(["help", "environment"], { env: { ...env, HOME: home } })).code).toBe(0);
    expect(readdirSync(join(ferry.folder, ".local"))).toEqual([]);
  }
});

test.skipIf(process.platform === "win32")("a pipe in its place is not waited for", async () => {
  const expected = await ferry.run(["help", "environment"]);
  const place = helpCache();
  rmSync(place);
  execFileSync("mkfifo", ["-m", "600", place]);
  expect(await ferry.run(["help", "environment"])).toEqual(expected);
  expect(statSync(place).isFile()).toBe(true);
});

test.each([
  ["a state folder that can't be", { FERRY_STATE_DIR: "/dev/null/state" }],
  ["a state folder that isn't absolute", { FERRY_STATE_DIR: "state" }],
  ["no home", { HOME: "", FERRY_STATE_DIR: "" }],
  ["who wants none", { NODE_DISABLE_COMPILE_CACHE: "1" }],
])("%s: the help all the same, and nothing is kept", async (_, env) => {
  const { code: exit, stdout, stderr } = await ferry.run(["help", "environment"], { env });
  expect({ exit, stderr, starts: stdout.startsWith("Variables of the environment") }).toEqual({
    exit: 0,
    stderr: "",
    starts: true,
  });
  expect(readdirSync(join(ferry.folder, "state"))).toEqual([]);
});

test("a word that is no command makes no file", async () => {
  await ferry.run(["../../etc", "x"]);
  expect(readdirSync(join(ferry.folder, "state"))).toEqual([]);
});
