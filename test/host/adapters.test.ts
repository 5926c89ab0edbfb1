import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../src/host/clock.ts";
import { systemFiles as files } from "../../src/host/files.ts";
import { makeProcesses } from "../../src/host/processes.ts";
import { isInFront, makeOutput, makeTerminal, wantsColor } from "../../src/host/terminal.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ferry-host-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("files", () => {
  test("a missing one is undefined, also below a file", async () => {
    writeFileSync(join(folder, "f"), "x");
    for (const path of [join(folder, "no"), join(folder, "no", "no"), join(folder, "f", "no")]) {
      expect(await files.read(path)).toBeUndefined();
      expect(await files.status(path)).toBeUndefined();
      expect(await files.realPath(path)).toBeUndefined();
      expect(await files.list(path)).toEqual([]);
      await files.remove(path);
    }
  });

  test("one that can't be read is named", async () => {
    for (const read of ["read", "readText"] as const)
      await expect(files[read](folder)).rejects.toMatchObject({
        kind: "failure",
        message: `can't read ${folder}: it is a folder`,
      });
  });

  test("a circle of links is named", async () => {
    const path = join(folder, "link");
    symlinkSync("link", path);
    for (const way of ["readText", "realPath", "target"] as const)
      await expect(files[way](path)).rejects.toMatchObject({
        kind: "failure",
        message: `can't read ${path}: too many symbolic links encountered`,
      });
  });

  test.skipIf(process.platform === "win32")("a pipe or a device in its place is told, and not waited for", async () => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    symlinkSync("/dev/zero", join(folder, "link"));
    for (const path of [pipe, "/dev/zero", join(folder, "link")])
      await expect(files.readText(path)).rejects.toMatchObject({
        kind: "failure",
        message: `can't read ${path}: it is no regular file`,
      });
  });

  test("a write replaces the whole, makes private folders on the way, and leaves no draft", async () => {
    const path = join(folder, "a", "b", "f");
    await files.write(path, "one");
    await files.write(path, new Uint8Array([0, 255]));
    expect(readFileSync(path)).toEqual(Buffer.from([0, 255]));
    expect(readdirSync(join(folder, "a", "b"))).toEqual(["f"]);
    expect([statSync(path).mode & 0o777, statSync(join(folder, "a")).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  test("a write that fails leaves the old file and no draft", async () => {
    mkdirSync(join(folder, "f"));
    writeFileSync(join(folder, "f", "inside"), "");
    await expect(files.write(join(folder, "f"), "x")).rejects.toThrow();
    expect(readdirSync(folder)).toEqual(["f"]);
  });

  test("create makes it once", async () => {
    const path = join(folder, "f");
    const made = await Promise.all(["a", "b", "c"].map((text) => files.create(path, text)));
    expect(made.filter(Boolean)).toHaveLength(1);
  });

  test("makes folders also where others make them at the same time, and through links", async () => {
    symlinkSync(join(folder, "a"), join(folder, "link"));
    mkdirSync(join(folder, "a"));
    await Promise.all([1, 2, 3, 4].map(() => files.makeFolder(join(folder, "link", "b", "c"))));
    expect(statSync(join(folder, "a", "b", "c")).mode & 0o777).toBe(0o700);
  });

  test("what can't be written is said with its path, and where to say another", async () => {
    writeFileSync(join(folder, "f"), "x");
    mkdirSync(join(folder, "d"));
    const [below, taken] = [join(folder, "f", "below"), join(folder, "d")];
    for (const failing of [
      () => files.makeFolder(below),
      () => files.write(join(below, "x"), ""),
      () => files.create(join(below, "x"), ""),
      () => files.append(join(below, "x"), ""),
    ])
      await expect(failing()).rejects.toMatchObject({
        kind: "failure",
        message: `can't write ${join(folder, "f")}: file already exists`,
        hint: expect.stringContaining("FERRY_DATA_DIR") as string,
      });
    await expect(files.write(taken, "x")).rejects.toMatchObject({
      message: expect.stringContaining(`can't write ${taken}: `) as string,
    });
    await expect(files.append(taken, "x")).rejects.toMatchObject({
      message: expect.stringContaining(`can't write ${taken}: `) as string,
    });
  });

  test.runIf(process.platform === "linux")("a place that takes no folders is an error and no loop", async () => {
    await expect(files.makeFolder("/proc/ferry/a/b")).rejects.toMatchObject({
      message: "can't write /proc/ferry: no such file or directory",
    });
  });

  test("remove never goes through a link", async () => {
    writeFileSync(join(folder, "kept"), "x");
    mkdirSync(join(folder, "gone"));
    symlinkSync(folder, join(folder, "gone", "link"));
    await files.remove(join(folder, "gone"));
    expect(readdirSync(folder)).toEqual(["kept"]);
  });
});

describe("a sleep", () => {
  test("of more than a timer takes lasts until it is ended, without a word of Node's", async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on("warning", note);
    const controller = new AbortController();
    let over = false;
    const sleeping = systemClock.sleep(2 ** 31 + 1000, controller.signal).finally(() => (over = true));
    const ended = expect(sleeping).rejects.toThrow("enough");
    await systemClock.sleep(20);
    expect(over).toBe(false);
    controller.abort(new Error("enough"));
    await ended;
    process.off("warning", note);
    expect(warnings).toEqual([]);
  });

  test("of nothing ends at once, and of an aborted signal with its reason", async () => {
    await systemClock.sleep(0);
    await expect(systemClock.sleep(0, AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
  });
});

describe("processes", () => {
  const processes = makeProcesses(process.env, process.platform);

  test("what is run sees the environment, and no key of ours", async () => {
    const env = { ...process.env, FERRY_API_KEY: "k", FERRY_HOST: "h" };
    for (const given of [{}, { env }]) {
      const print = "console.log(Object.keys(process.env).filter((name) => name.startsWith('FERRY_')).join())";
      const { stdout } = await makeProcesses(env, process.platform).run([process.execPath, "-e", print], given);
      expect(
        Buffer.from(stdout)
          .toString()
          .split(",")
          .map((name) => name.trim()),
      ).toContain("FERRY_HOST");
      expect(Buffer.from(stdout).toString()).not.toContain("FERRY_API_KEY");
    }
  });

  test("run gives bytes and the exit, whatever it is", async () => {
    const { code, stdout, stderr } = await processes.run(["sh", "-c", "cat; printf 'e\\n' >&2; exit 3"], {
      input: new Uint8Array([255, 10]),
    });
    expect([code, ...stdout, Buffer.from(stderr).toString()]).toEqual([3, 255, 10, "e\n"]);
  });

  test("the child's environment is the one given, and no other", async () => {
    const { stdout } = await processes.run(["/usr/bin/env"], { env: { ONLY: "this" } });
    expect(Buffer.from(stdout).toString()).toBe("ONLY=this\n");
  });

  test("a program that isn't there, and a call that is given up, are rejections", async () => {
    await expect(processes.run(["no-such-program"])).rejects.toMatchObject({ code: "ENOENT" });
    const controller = new AbortController();
    const running = processes.run(["sleep", "30"], { signal: controller.signal });
    controller.abort(new Error("given up"));
    await expect(running).rejects.toThrow("given up");
  });

  test("a detached child outlives the call, and its start time tells it from others", async () => {
    const log = join(folder, "log");
    const pid = await processes.detach(["sh", "-c", "echo up; exec sleep 30"], { cwd: folder, env: process.env, log });
    await expect.poll(() => readFileSync(log, "utf8")).toBe("up\n");
    const started = await processes.startTime(pid);
    expect(started).toBeDefined();
    expect(started).not.toBe(await processes.startTime(process.pid));
    expect(processes.kill(pid, "SIGKILL")).toBe(true);
    await expect.poll(() => processes.startTime(pid)).toBeUndefined();
  });

  test("find looks along PATH for what can be run", async () => {
    writeFileSync(join(folder, "plain"), "x", { mode: 0o644 });
    writeFileSync(join(folder, "tool"), "x", { mode: 0o755 });
    const there = makeProcesses({ PATH: `relative:${folder}` }, "linux");
    expect([await there.find("tool"), await there.find("plain"), await there.find("none")]).toEqual([
      join(folder, "tool"),
      undefined,
      undefined,
    ]);
  });
});

describe("colour", () => {
  test.each([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: "1" }, true, false],
    [{ NO_COLOR: "" }, true, true],
    [{ NO_COLOR: "1", FORCE_COLOR: "1" }, true, false],
    [{ FORCE_COLOR: "1" }, false, true],
    [{ FORCE_COLOR: "0" }, true, false],
    [{ CLICOLOR_FORCE: "1", TERM: "dumb" }, false, true],
    [{ CLICOLOR_FORCE: "0" }, false, false],
    [{ CLICOLOR: "0" }, true, false],
    [{ TERM: "dumb" }, true, false],
  ])("%j on a terminal: %j → %j", (env, isTTY, expected) => {
    expect(wantsColor(env, isTTY)).toBe(expected);
  });
});

test("a sleep that is given up rejects with the signal's own reason", async () => {
  await expect(systemClock.sleep(60_000, AbortSignal.abort(new Error("why")))).rejects.toThrow("why");
});

test("a reader that takes nothing holds nothing up that was interrupted, nor its last lines", async () => {
  const stuck = new Writable({ write: () => undefined }) as unknown as NodeJS.WriteStream;
  const interrupt = new AbortController();
  const reason = new Error("interrupted");
  const output = makeOutput(stuck, {}, interrupt.signal);
  const written = output.write("one");
  interrupt.abort(reason);
  await expect(written).rejects.toBe(reason);
  await expect(output.write("two")).rejects.toBe(reason);
  const taken: string[] = [];
  const free = new Writable({ write: (chunk, _encoding, done) => void (taken.push(String(chunk)), setImmediate(done)) });
  await makeOutput(free as unknown as NodeJS.WriteStream, {}, interrupt.signal).write("three");
  expect(taken).toEqual(["three"]);
});

test.skipIf(process.platform === "win32")("a terminal knows that the program was stopped and goes on", async () => {
  const { wasAway } = makeTerminal({}, process.platform, new AbortController().signal);
  expect(await wasAway()).toBe(false);
  execFileSync("kill", ["-CONT", String(process.pid)]);
  expect([await wasAway(), await wasAway()]).toEqual([true, false]);
});

test.each<[string, string, boolean]>([
  ["the terminal's group", "7 (node) S 5 7 5 34816 7 4194304", true],
  ["another group", "7 (node) S 5 7 5 34816 9 4194304", false],
  ["another group, with a name like a field", "7 (a) S 5 9 ) S 5 7 5 34816 9 4194304", false],
  ["of no terminal", "7 (node) S 5 7 5 0 -1 4194304", true],
  ["of a container, with the terminal's group outside", "7 (node) S 5 7 5 34816 0 4194304", true],
  ["unknown", "", true],
])("a program that is %s is in front or not", (_what, stat, expected) => {
  expect(isInFront(stat)).toBe(expected);
});
