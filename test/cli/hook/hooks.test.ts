import { execFile } from "node:child_process";
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import { rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { withBlock } from "../../../src/cli/commands/hook/block.ts";
import { makeProcesses } from "../../../src/host/processes.ts";
import { makeBinary, type Binary } from "../../support/binary.ts";
import { changeUntilThere, commitFiles, gitIn, makeRepository, type TestGit } from "../../support/git.ts";

// Real git runs the hooks, and the hooks run the built program, which a script on PATH stands in front of and notes each call.
let ferry: Binary;
let git: TestGit;
let count = 0;

const calls = (): string[] =>
  existsSync(join(ferry.folder, "calls")) ? readFileSync(join(ferry.folder, "calls"), "utf8").trim().split("\n") : [];
const hook = (name: string): string => join(git.folder, ".git", "hooks", name);
const call = (...args: string[]) => ferry.run(args, { cwd: git.folder });

/** Two changes of the branch, and a merge. */
function changeBranchesAndMerge(): void {
  git("checkout", "--quiet", "-b", "other");
  commitFiles(git, { b: "b" });
  git("checkout", "--quiet", "main");
  git("merge", "--quiet", "other");
}

beforeAll(async () => {
  ferry = makeBinary();
  const bin = join(ferry.folder, "bin");
  mkdirSync(bin);
  writeFileSync(
    join(bin, "ferry"),
    `#!/bin/sh\necho "$*" >>"${ferry.folder}/calls"\nexec "${process.execPath}" "${join(import.meta.dirname, "../../../bin/ferry.js")}" "$@"\n`,
  );
  chmodSync(join(bin, "ferry"), 0o755);
  await ferry.run(["service", "start", "--sandbox", "process"]);
});
afterAll(() => ferry.dispose());

beforeEach(() => {
  const folder = join(ferry.folder, `repo${++count}`);
  makeRepository(folder);
  git = gitIn(folder, { ...ferry.env, PATH: `${join(ferry.folder, "bin")}:${ferry.env["PATH"] ?? ""}` });
  commitFiles(git, { a: "a\n" });
  writeFileSync(join(ferry.folder, "calls"), "");
});

test("a change of branch pulls, silently where the branch has no session, and without Node", async () => {
  rmSync(join(git.folder, ".git", "hooks"), { recursive: true });
  await call("hook", "install");
  expect(statSync(join(git.folder, ".git", "hooks")).mode & 0o777).toBe(statSync(join(git.folder, ".git", "refs")).mode & 0o777);
  await call("run", "--model", "shell", "--pull", "none", "echo 1 > one");
  git("checkout", "--quiet", "-b", "other");
  expect(calls()).toEqual([""]);
  git("checkout", "--quiet", "main");
  expect(calls()).toEqual(["hook run post-checkout"]);
  changeUntilThere(git, "one", ["other", "main"]);
  expect(readFileSync(join(git.folder, "one"), "utf8") + git("status", "--porcelain")).toBe("1\n");
});

test("checking out a file, and the steps of a rebase, are no change of branch", async () => {
  await call("hook", "install");
  await call("session", "start", "--model", "shell");
  git("checkout", "--quiet", "--", "a");
  git("checkout", "--quiet", "--detach");
  git("checkout", "--quiet", "main");
  writeFileSync(join(ferry.folder, "calls"), "");
  commitFiles(git, { b: "b" });
  git("rebase", "--quiet", "--force-rebase", "HEAD~1");
  expect(calls().filter(Boolean)).toEqual([]);
});

test("in a clone they say nothing and start nothing: its branches have no session yet", async () => {
  await call("hook", "install");
  await call("session", "start", "--model", "shell");
  const clone = join(ferry.folder, `clone${count}`);
  // As where core.hooksPath is the user's own for all repositories, or their template has the hooks.
  const said = git("-c", `core.hooksPath=${join(git.folder, ".git", "hooks")}`, "clone", "--quiet", git.folder, clone);
  expect({ said, calls: calls(), head: readFileSync(join(clone, "a"), "utf8") }).toEqual({ said: "", calls: [""], head: "a\n" });
});

test("after a merge it pulls, before a push it only says that there is more", async () => {
  await call("run", "--model", "shell", "--pull", "none", "echo 1 > one");
  await call("hook", "install");
  makeRepository(join(ferry.folder, `remote${count}`), ["--bare"]);
  const pushed = await pushTo(join(ferry.folder, `remote${count}`));
  expect(pushed).toMatch(/ferry: ses_\w+ has newer commits: ferry pull/u);
  expect(existsSync(join(git.folder, "one"))).toBe(false);
});

test("a service that is down, or isn't running, is one line and exit 0; with ferry.hookStrict it isn't", async () => {
  await call("session", "start", "--model", "shell");
  const down = { FERRY_DATA_DIR: join(ferry.folder, "nothing") };
  mkdirSync(down.FERRY_DATA_DIR, { recursive: true, mode: 0o700 });
  const told = await ferry.run(["hook", "run", "post-merge"], { cwd: git.folder, env: down });
  expect(told).toMatchObject({
    code: 0,
    stdout: "",
    stderr: expect.stringMatching(
      /^ferry: the commits of ses_\w+ were not pulled: the embedded service doesn't run\n$/u,
    ) as string,
  });
  expect(readdirSync(down.FERRY_DATA_DIR)).toEqual([]);
  git("config", "ferry.hookStrict", "yes");
  expect((await ferry.run(["hook", "run", "post-merge"], { cwd: git.folder, env: down })).code).toBe(6);
});

describe("hooks that are there already", () => {
  test.each([
    ["a shell script", '#!/bin/sh\ntrap "echo mine >> .git/ran" EXIT\nexit 0\n'],
    ["a program", `#!/usr/bin/env node\nrequire("fs").appendFileSync(".git/ran", "mine\\n");\n`],
  ])("%s is run where ours fails under ferry.hookStrict, and the hook fails then", async (_, text) => {
    writeFileSync(hook("post-checkout"), text, { mode: 0o755 });
    await call("hook", "install");
    await call("session", "start", "--model", "shell");
    git("config", "branch.main.ferrySession", "ses_gone");
    git("config", "ferry.hookStrict", "true");
    git("checkout", "--quiet", "-b", "other");
    writeFileSync(join(git.folder, ".git", "ran"), "");
    // git ends with the exit code of post-checkout.
    expect(() => git("checkout", "--quiet", "main")).toThrow();
    expect(readFileSync(join(git.folder, ".git", "ran"), "utf8")).toBe("mine\n");
    expect(calls().filter(Boolean)).toEqual(["hook run post-checkout"]);
  });

  test("go on working, in whatever language, and are as they were after uninstall", async () => {
    const mine = {
      "post-checkout": '#!/bin/sh\necho checkout "$3" >> .git/ran\n',
      "post-merge": `#!/usr/bin/env node\nrequire("fs").appendFileSync(".git/ran", "merge\\n");\n`,
      "pre-push": "#!/bin/sh\nexit 7\n",
    };
    for (const [name, text] of Object.entries(mine))
      writeFileSync(hook(name), text, { mode: name === "pre-push" ? 0o644 : 0o755 });
    const before = readdirSync(join(git.folder, ".git", "hooks"));
    await call("hook", "install");
    await call("hook", "install");
    changeBranchesAndMerge();
    expect(readFileSync(join(git.folder, ".git", "ran"), "utf8")).toBe("checkout 1\ncheckout 1\nmerge\n");
    expect((await call("hook", "status")).stdout).toMatch(/^post-checkout\tyes\t.*\npost-merge\tyes\t.*\npre-push\tyes\t.*\n$/u);
    expect((await call("hook", "uninstall")).stderr).toBe("taken out of post-checkout, post-merge, pre-push\n");
    expect(readdirSync(join(git.folder, ".git", "hooks"))).toEqual(before);
    for (const [name, text] of Object.entries(mine)) expect(readFileSync(hook(name), "utf8")).toBe(text);
    expect((await call("hook", "uninstall")).stderr).toBe("there was nothing of ferry's\n");
  });

  test("that are links run beside what they lead to, where git ran them before, and are the same links after uninstall", async () => {
    const kept = join(git.folder, ".git", "kept");
    mkdirSync(kept);
    writeFileSync(join(kept, "part"), "echo first >> .git/ran\n");
    const sourcing = '#!/bin/sh\n. "$(dirname "$(readlink -f "$0")")/part"\n';
    writeFileSync(join(kept, "on"), sourcing, { mode: 0o755 });
    writeFileSync(join(kept, "off"), "#!/bin/sh\necho off >> .git/ran\n", { mode: 0o644 });
    const links = { "post-checkout": "../kept/on", "post-merge": "../kept/off", "pre-push": "../kept/gone" };
    for (const [name, target] of Object.entries(links)) symlinkSync(target, hook(name));
    await call("hook", "install");
    await call("hook", "install");
    git("checkout", "--quiet", "-b", "other");
    // Who changes what a link leads to changes the hook.
    writeFileSync(join(kept, "part"), "echo second >> .git/ran\n");
    commitFiles(git, { b: "b" });
    git("checkout", "--quiet", "main");
    git("merge", "--quiet", "other");
    expect(await pushTo(makeRepository(join(ferry.folder, `remote${count}`), ["--bare"]).folder)).toBe("");
    expect(readFileSync(join(git.folder, ".git", "ran"), "utf8")).toBe("first\nsecond\n");
    expect((await call("hook", "status")).stdout).toMatch(/^post-checkout\tyes\t.*\npost-merge\tyes\t.*\npre-push\tyes\t.*\n$/u);
    await call("hook", "uninstall");
    for (const [name, target] of Object.entries(links)) expect(readlinkSync(hook(name))).toBe(target);
    expect(readFileSync(join(kept, "on"), "utf8")).toBe(sourcing);
    expect(lstatSync(join(kept, "off")).mode & 0o777).toBe(0o644);
    expect(readdirSync(join(git.folder, ".git", "hooks")).filter((name) => name.endsWith(".before-ferry"))).toEqual([]);
  });

  test("see their own name, whatever they are, and find what lies beside them", async () => {
    const hooks = join(git.folder, ".git", "hooks");
    writeFileSync(join(hooks, "part.js"), `module.exports = "part";`);
    const dispatcher = '#!/bin/sh\necho "$(basename "$0") $(basename "$(readlink -f "$0")")" >> .git/ran\n';
    writeFileSync(join(hooks, "dispatcher"), dispatcher, { mode: 0o755 });
    symlinkSync("dispatcher", hook("post-checkout"));
    const program = `#!/usr/bin/env node\nconst name = require("path").basename(process.argv[1]);
require("fs").appendFileSync(".git/ran", \`\${name} \${require("./part.js")}\\n\`);\n`;
    writeFileSync(hook("post-merge"), program, { mode: 0o755 });
    const strict = '#!/bin/sh -eu\necho "$(basename "$0") $(dirname "$0")" >> .git/ran\n';
    writeFileSync(hook("pre-push"), strict, { mode: 0o700 });
    const before = readdirSync(hooks);
    await call("hook", "install");
    git("checkout", "--quiet", "-b", "other");
    git("checkout", "--quiet", "main");
    commitFiles(git, { b: "b" });
    git("checkout", "--quiet", "other");
    git("merge", "--quiet", "main");
    await pushTo(makeRepository(join(ferry.folder, `remote${count}`), ["--bare"]).folder);
    const ran = readFileSync(join(git.folder, ".git", "ran"), "utf8")
      .trim()
      .split("\n");
    expect(new Set(ran)).toEqual(new Set(["post-checkout dispatcher", "post-merge part", "pre-push .git/hooks"]));
    await call("hook", "uninstall");
    expect(readdirSync(hooks)).toEqual(before);
    expect(statSync(hook("pre-push")).mode & 0o777).toBe(0o700);
  });

  test("that an earlier install put aside are never lost: not to a later one, nor to what was written in between", async () => {
    const [mine, later] = ["#!/usr/bin/env node\n", "#!/usr/bin/env python3\n"];
    writeFileSync(hook("pre-push"), mine, { mode: 0o755 });
    const links = join(git.folder, ".git", "hooks", "ferry-kept");
    writeFileSync(links, "");
    expect((await call("hook", "install")).stderr).toMatch(/^ferry: can't write .*\/ferry-kept: .*\n/mu);
    expect(readFileSync(hook("pre-push"), "utf8")).toBe(mine);
    rmSync(links);
    await call("hook", "install");
    writeFileSync(hook("pre-push"), later, { mode: 0o755 });
    rmSync(hook("post-merge"));
    expect(await call("hook", "install")).toEqual({
      code: 3,
      stdout: "",
      stderr: `ferry: ${hook("pre-push")}.before-ferry is there already, where pre-push would be put aside\n  hint: see which of the two is wanted, and take the other one away\n`,
    });
    expect(readFileSync(hook("pre-push"), "utf8")).toBe(later);
    expect(existsSync(hook("post-merge"))).toBe(false);
    const script = "#!/bin/sh\necho caf\xe9\n";
    writeFileSync(hook("pre-push"), script, { encoding: "latin1", mode: 0o755 });
    await call("hook", "install");
    const { stderr } = await call("hook", "uninstall");
    expect(stderr).toContain(`${hook("pre-push")}.before-ferry is from an earlier install, and stays\n`);
    expect(readFileSync(hook("pre-push"), "latin1")).toBe(script);
    expect(readFileSync(`${hook("pre-push")}.before-ferry`, "utf8")).toBe(mine);
  });

  test("are left alone while another ferry is at them", async () => {
    writeFileSync(hook("pre-push"), "#!/usr/bin/env node\n", { mode: 0o755 });
    const startTime = await makeProcesses(process.env, process.platform).startTime(process.pid);
    writeFileSync(hook("ferry.lock"), JSON.stringify({ pid: process.pid, startTime, nonce: "n" }));
    expect(await call("hook", "install")).toMatchObject({
      code: 6,
      stderr: expect.stringContaining(`another ferry holds ${hook("ferry.lock")}\n`) as string,
    });
    expect(readdirSync(join(git.folder, ".git", "hooks")).filter((name) => !name.endsWith(".sample"))).toEqual([
      "ferry.lock",
      "pre-push",
    ]);
  });

  test("that an older ferry put aside, or one that was killed then, are taken up by the next install", async () => {
    const program = `#!/usr/bin/env node\nrequire("fs").appendFileSync(".git/ran", require("path").basename(process.argv[1]) + "\\n");\n`;
    for (const name of ["post-checkout", "post-merge"]) writeFileSync(`${hook(name)}.before-ferry`, program, { mode: 0o755 });
    const old = withBlock(undefined, "post-checkout") + 'if [ -x "$0.before-ferry" ]; then exec "$0.before-ferry" "$@"; fi\n';
    // Without the mode that git runs it with.
    writeFileSync(hook("post-checkout"), old, { mode: 0o644 });
    await call("hook", "install");
    changeBranchesAndMerge();
    expect(readFileSync(join(git.folder, ".git", "ran"), "utf8")).toBe("post-checkout\npost-checkout\npost-merge\n");
    await call("hook", "uninstall");
    for (const name of ["post-checkout", "post-merge"]) expect(readFileSync(hook(name), "utf8")).toBe(program);
    expect(readdirSync(join(git.folder, ".git", "hooks")).filter((name) => name.includes("ferry"))).toEqual([]);
  });

  test("are switched off where core.hooksPath leads to no folder, and that is said", async () => {
    git("config", "core.hooksPath", "/dev/null");
    expect(await call("hook", "install")).toMatchObject({
      code: 3,
      stdout: "",
      stderr:
        "ferry: git's hooks are switched off here: core.hooksPath is /dev/null, which is no folder\n  hint: git config --show-origin core.hooksPath says where that stands\n",
    });
    expect((await call("hook", "uninstall")).stderr).toBe("there was nothing of ferry's\n");
  });

  test("are switched off where core.hooksPath is set to nothing: git looks for none in the working copy then", async () => {
    git("config", "core.hooksPath", "");
    expect(await call("hook", "install")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("git's hooks are switched off here: core.hooksPath is set to nothing\n") as string,
    });
    expect((await call("hook", "status")).stdout).not.toContain("yes");
    expect(git("status", "--porcelain")).toBe("");
  });

  test("of husky go on, in their own folder and with what is given to them; made anew they have no part of ours", async () => {
    const folder = join(git.folder, ".husky");
    // What husky 9 writes, each time that it is set up.
    const setUp = (): void => {
      mkdirSync(join(folder, "_"), { recursive: true });
      writeFileSync(
        join(folder, "_", "h"),
        's="$(dirname "$(dirname "$0")")/$(basename "$0")"\n[ -f "$s" ] || exit 0\nsh -e "$s" "$@"\n',
      );
      for (const name of ["post-checkout", "post-merge", "pre-push"])
        writeFileSync(join(folder, "_", name), '#!/usr/bin/env sh\n. "$(dirname "$0")/h"', { mode: 0o755 });
      git("config", "core.hooksPath", ".husky/_");
    };
    setUp();
    writeFileSync(join(folder, "post-checkout"), 'echo "theirs $3" >> .git/ran\n');
    await call("run", "--model", "shell", "--pull", "none", "echo 1 > one");
    expect((await call("hook", "install")).stderr).toContain("husky writes them anew");
    git("checkout", "--quiet", "-b", "other");
    git("checkout", "--quiet", "main");
    expect(calls()).toEqual(["hook run post-checkout"]);
    expect(existsSync(join(git.folder, "one"))).toBe(true);
    expect(readFileSync(join(git.folder, ".git", "ran"), "utf8")).toBe("theirs 1\ntheirs 1\n");
    setUp();
    expect((await call("hook", "status")).stdout).toMatch(/^post-checkout\tno\t.*\npost-merge\tno\t.*\npre-push\tno\t.*\n$/u);
    await call("hook", "install");
    expect((await call("hook", "uninstall")).stderr).toBe("taken out of post-checkout, post-merge, pre-push\n");
    expect(readFileSync(join(folder, "_", "post-merge"), "utf8")).toBe('#!/usr/bin/env sh\n. "$(dirname "$0")/h"');
  });

  test("lie where core.hooksPath says, also for a linked worktree", async () => {
    git("config", "core.hooksPath", ".husky/_");
    mkdirSync(join(git.folder, ".husky", "_"), { recursive: true });
    const ours = await call("hook", "install", "--json");
    expect(ours.stdout).toContain(join(git.folder, ".husky/_/post-merge"));
    expect(ours.stderr).not.toContain("leads out");
    git("config", "core.hooksPath", "../everywhere");
    expect((await call("hook", "install")).stderr).toMatch(/\ncore\.hooksPath leads out of this repository: .*\n$/u);
    git("config", "--unset", "core.hooksPath");
    git("worktree", "add", "--quiet", "../linked");
    const { stdout } = await ferry.run(["hook", "install", "--json"], { cwd: join(ferry.folder, "linked") });
    expect(stdout).toContain(hook("post-merge"));
    git("worktree", "remove", "--force", "../linked");
  });
});

/** Pushes; gives what was said on stderr. */
async function pushTo(remote: string): Promise<string> {
  return new Promise((resolve) => {
    const env = { ...ferry.env, PATH: `${join(ferry.folder, "bin")}:${ferry.env["PATH"] ?? ""}` };
    execFile("git", ["push", "--quiet", remote, "main"], { cwd: git.folder, env }, (_, __, stderr) => resolve(stderr));
  });
}
