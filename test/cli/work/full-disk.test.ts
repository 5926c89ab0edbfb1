import { beforeEach, describe, expect, test } from "vitest";
import { OutputError } from "../../../src/base/errors.ts";
import { typedId } from "../../../src/base/ids.ts";
import { run } from "../../../src/cli/run.ts";
import { commitFiles, type TestGit } from "../../support/git.ts";
import { ferry } from "../../support/ferry.ts";
import { freshRepository, useLocalService } from "../../support/local.ts";

const world = useLocalService();
let git: TestGit;
beforeEach(() => {
  git = freshRepository(world, { a: "1\n" });
});

/** Where stdout is a file on a full disk: how it ends, and what stderr says. */
async function full(...argv: string[]): Promise<{ code: number; stderr: string }> {
  const { host, terminal } = world.next({ cwd: git.folder });
  const write = () => Promise.reject(new OutputError(new Error("ENOSPC: no space left on device, write")));
  const stdout = Object.assign(Object.create(terminal.stdout) as typeof terminal.stdout, { write });
  const code = await run(argv, { ...host, terminal: { ...terminal, stdout } });
  return { code, stderr: terminal.written.stderr };
}

const here = (...argv: string[]) => ferry(world.next({ cwd: git.folder }), ...argv);
const said = "can't write the output: no space left on device";

describe("with commits to be pulled", () => {
  beforeEach(async () => {
    await here("run", "--pull", "none", "echo two > a");
  });

  test("a pull tells what came, and the way back, before that it can't be printed", async () => {
    const base = git("rev-parse", "HEAD");
    const { code, stderr } = await full("pull");
    const head = git("rev-parse", "HEAD");
    expect(head).not.toBe(base);
    const came = `1 commit (${head.slice(0, 12)}) onto main at ${base.slice(0, 12)}; undo with: ferry pull --undo`;
    expect({ code, stderr }).toEqual({ code: 1, stderr: `${came}\nferry: ${said}\n` });
  });

  test("with --json the error says it", async () => {
    const { code, stderr } = await full("pull", "--json");
    const came = expect.stringMatching(/^1 commit \(.*; undo with: ferry pull --undo$/u) as string;
    expect({ code, said: JSON.parse(stderr) as unknown }).toEqual({
      code: 1,
      said: { error: { kind: "failure", message: `the pull is done, but ${said}`, details: [came] } },
    });
  });

  test("of one that is refused the reason counts", async () => {
    for (const [name, value] of Object.entries({ name: "Ada", email: "ada@x.example" })) git("config", `user.${name}`, value);
    commitFiles(git, { a: "mine\n" });
    const { code, stderr } = await full("pull", "--json", "--park");
    const { error } = JSON.parse(stderr) as { error: { code: string; message: string } };
    expect({ code, why: error.code, message: error.message }).toEqual({
      code: 3,
      why: "conflict",
      message: expect.stringMatching(/; can't write the output: no space left on device$/u) as string,
    });
  });
});

test("the session of a run goes on, and how to follow it is told", async () => {
  const { code, stderr } = await full("run", "echo two > a");
  const id = typedId(git("config", "branch.main.ferrySession"));
  const end = `ferry: ${id} goes on, but ${said}\n  hint: follow it: ferry tail ${id}; bring its commits: ferry pull ${id}\n`;
  expect({ code, end: stderr.slice(-end.length) }).toEqual({ code: 1, end });
});

test("a run whose first line can't be printed says that its session has no prompt yet", async () => {
  const { code, stderr } = await full("run", "--json", "echo two > a");
  const id = git("config", "branch.main.ferrySession");
  const { error } = JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "") as { error: { message: string; hint: string } };
  expect({ code, message: error.message, hint: error.hint }).toEqual({
    code: 1,
    message: `${id} was made, but the prompt was not sent: ${said}`,
    hint: `send it: ferry message send ${typedId(id)} 'the prompt'`,
  });
});
