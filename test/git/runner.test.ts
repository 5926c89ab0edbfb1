import { createReadStream, readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { afterAll, describe, expect, it } from "vitest";
import { ObjectReader } from "../../src/git/objects.ts";
import { makeGit } from "../../src/git/runner.ts";
import { commitFiles, gitBytes, makeFolder, makeRepository } from "../support/git.ts";
import { patchHost } from "../support/pulling.ts";

const folder = makeFolder();
afterAll(() => folder.remove());
const repository = makeRepository(`${folder.path}/repository`);
commitFiles(repository, { a: "a\n" }, "first");
const cwd = repository.folder;
const git = makeGit(patchHost());

/** The variables that a git of ours sees, by an alias that prints them. */
async function seen(env: Readonly<Record<string, string>>, isolated = false): Promise<string[]> {
  const config = { "alias.seen": "!env" };
  const output = await makeGit(patchHost(env)).ok(["seen"], { cwd, config, isolated });
  return output.toString("utf8").trim().split("\n");
}

describe("running git", () => {
  it("gives bytes as they are, and takes them", async () => {
    const bytes = Buffer.from([0, 255, 10, 13, 128]);
    const id = (await git.ok(["hash-object", "-w", "--stdin"], { cwd, input: bytes })).toString().trim();
    expect(await git.ok(["cat-file", "blob", id], { cwd })).toEqual(bytes);
  });

  it.runIf(process.platform === "linux")("keeps a git within the memory that it may use", async () => {
    const input = Buffer.alloc(300 * 1024 * 1024);
    const id = (await git.ok(["hash-object", "--stdin"], { cwd, input: "a\n", memory: 256 * 1024 ** 2 })).toString().trim();
    expect(id).toBe(repository("rev-parse", "HEAD:a"));
    await expect(git.ok(["hash-object", "--stdin"], { cwd, input, memory: 256 * 1024 ** 2 })).rejects.toThrow(/Out of memory/u);
  });

  it("takes a stream", async () => {
    writeFileSync(`${folder.path}/big`, Buffer.alloc(3_000_000, 7));
    const id = (await git.ok(["hash-object", "--stdin"], { cwd, input: createReadStream(`${folder.path}/big`) }))
      .toString()
      .trim();
    expect(id).toBe(
      gitBytes(cwd, ["hash-object", `${folder.path}/big`])
        .toString()
        .trim(),
    );
  });

  it("tells an exit status, and with ok git's last line, harmless and without a password", async () => {
    expect(await git.run(["rev-parse", "--verify", "--quiet", "nothing"], { cwd })).toMatchObject({ code: 1 });
    await expect(git.ok(["cat-file", "-p", "no\u202ething"], { cwd })).rejects.toMatchObject({
      kind: "failure",
      code: "git",
      message: "git cat-file: fatal: Not a valid object name no<U+202E>thing",
    });
    const url = "http://me:secret@127.0.0.1:1/x.git";
    const error: unknown = await git.ok(["ls-remote", url], { cwd }).catch((cause: unknown) => cause);
    expect(String(error)).not.toContain("secret");
  });

  it("doesn't care about a git that ends before it read its input", async () => {
    expect(await git.run(["--version"], { cwd, input: Buffer.alloc(5_000_000) })).toMatchObject({ code: 0 });
    const endless = (async function* () {
      for (;;) yield await Promise.resolve(Buffer.alloc(65_536));
    })();
    expect(await git.run(["--version"], { cwd, input: endless })).toMatchObject({ code: 0 });
  });

  it("refuses more output than was allowed", async () => {
    await expect(git.run(["cat-file", "-p", "HEAD"], { cwd, maxOutput: 10 })).rejects.toMatchObject({ kind: "failure" });
  });

  it("ends with its signal", async () => {
    const abort = new AbortController();
    const running = git.run(["cat-file", "--batch"], { cwd, signal: abort.signal, input: never() });
    abort.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
    await expect(git.run(["--version"], { cwd, signal: abort.signal })).rejects.toThrow("enough");
  });

  it.each(["SIGKILL", "SIGTERM", "SIGHUP"] as const)("takes no git that %s ended for one that answered", async (signal) => {
    // What stays behind holds no output of git's open.
    const config = { "alias.dies": `!exec >/dev/null 2>&1; kill -${signal.slice(3)} $PPID; sleep 10` };
    const options = { cwd, config };
    await expect(git.run(["dies"], options)).rejects.toMatchObject({
      code: "git_killed",
      message: `git dies was killed (${signal})`,
    });
    expect(await git.run(["dies"], { ...options, mayBeKilled: true })).toMatchObject({ code: 128 + constants.signals[signal] });
  });

  it("names the folder that isn't there", async () => {
    const gone = `${cwd}/gone`;
    await expect(git.run(["--version"], { cwd: gone })).rejects.toMatchObject({
      kind: "failure",
      message: expect.stringContaining(gone) as string,
    });
  });

  it("announces a child before git does anything, and gives it its whole input", async () => {
    const marker = `${folder.path}/announced`;
    const id = await git.ok(["hash-object", "-w", "--stdin"], {
      cwd,
      input: "go\nread this\n",
      announce: async (child) => {
        expect(child.pid).toBeGreaterThan(0);
        expect(child.startTime).toBe(await patchHost().processes.startTime(child.pid));
        writeFileSync(marker, String(child.pid));
      },
    });
    expect((await git.ok(["cat-file", "blob", id.toString().trim()], { cwd })).toString()).toBe("go\nread this\n");
    expect(readFileSync(marker, "utf8")).toMatch(/^\d+$/u);
  });
});

describe("the environment of git", () => {
  it("has none of the caller's repository, identity and configuration", async () => {
    const env = {
      GIT_DIR: "/x",
      FERRY_API_KEY: "key",
      GIT_WORK_TREE: "/x",
      GIT_INDEX_FILE: "/x",
      GIT_AUTHOR_NAME: "x",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "a.b",
      GIT_CONFIG_VALUE_0: "c",
      GIT_TRACE: "1",
      GIT_EXTERNAL_DIFF: "x",
    };
    const names = (await seen(env)).map((line) => line.split("=")[0]);
    for (const name of Object.keys(env).filter((each) => each !== "GIT_DIR")) expect(names).not.toContain(name);
  });

  it("keeps how to reach a remote, without a question", async () => {
    const lines = await seen({ GIT_SSH_COMMAND: "ssh -i key", GIT_ASKPASS: "askpass" });
    expect(lines).toEqual(
      expect.arrayContaining([
        "GIT_SSH_COMMAND=ssh -i key -o BatchMode=yes",
        "GIT_ASKPASS=askpass",
        "GIT_TERMINAL_PROMPT=0",
        "LC_ALL=C",
      ]),
    );
  });

  it("has no configuration of the user's where it is isolated", async () => {
    writeFileSync(`${folder.path}/config`, "[user]\n\tname = Global\n");
    const global = makeGit(patchHost({ GIT_CONFIG_GLOBAL: `${folder.path}/config` }));
    expect((await global.ok(["config", "user.name"], { cwd })).toString()).toBe("Global\n");
    expect(await global.run(["config", "user.name"], { cwd, isolated: true })).toMatchObject({ code: 1 });
  });
});

describe("reading objects", () => {
  it("one after the other, missing ones too", async () => {
    const objects = await ObjectReader.open(git, { cwd });
    expect((await objects.read("HEAD:a", 100))?.content.toString()).toBe("a\n");
    expect(await objects.read("HEAD:none", 100)).toBeUndefined();
    expect((await objects.read("HEAD", 1000))?.type).toBe("commit");
    await objects.close();
  });

  it("none that is too large", async () => {
    const objects = await ObjectReader.open(git, { cwd });
    await expect(objects.read("HEAD:a", 1)).rejects.toMatchObject({ kind: "failure" });
  });
});

function never(): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) };
}
