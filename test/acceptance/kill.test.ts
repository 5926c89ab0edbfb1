import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs";
import { mkdir, readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { collect, makeBinary } from "../support/binary.ts";
import type { Binary } from "../support/binary.ts";
import { makeProject } from "./workingCopy.ts";
import type { WorkingCopy } from "./workingCopy.ts";

let binary: Binary;
let project: WorkingCopy;

beforeEach(async () => {
  binary = makeBinary(join(inject("packed").folder, "bin/ferry.js"));
  project = await makeProject(binary, "project");
});

afterEach(() => binary.dispose());

test("kill -9 of a pull, again and again: the next one brings all, once", async () => {
  const commits = 40;
  const base = await project.git("rev-parse", "HEAD");
  const script = `for n in $(seq ${commits}); do echo $n > file-$n; git add .; git commit --quiet -m "commit $n"; done`;
  await ferry("run", "--host", "local", "--model", "shell", "--pull", "none", script);
  const own = join(project.path, ".git/ferry");
  await mkdir(own, { recursive: true });

  const codes: (number | null)[] = [];
  for (const signs of [1, 2, 4, 8, 16, 32]) {
    const alive = signsOfLife(own, signs);
    const pull = binary.start(["pull"], { cwd: project.path });
    const ended = collect(pull);
    await Promise.race([alive.seen, ended]);
    alive.stop();
    pull.kill("SIGKILL");
    codes.push((await ended).code);
  }
  expect(codes).toEqual(codes.map(() => null));

  await ferry("pull");
  expect(await project.git("log", "--reverse", "--format=%s", `${base}..HEAD`)).toBe(
    Array.from({ length: commits }, (_, index) => `commit ${index + 1}`).join("\n"),
  );
  expect(await project.git("status", "--porcelain")).toBe("");
  expect(await project.git("fsck", "--strict", "--no-dangling")).toBe("");
  expect((await ferry("pull")).stderr).toContain("nothing new");
  expect(await readdir(own)).toEqual([]);
});

test("kill -9 of the service in the middle of a turn: what was said is still there, the turn is told, the next one works", async () => {
  const marker = "ferry-test-that-never-ends";
  const script = `echo begun; exec tail -f /dev/null # ${marker}`;
  const follow = binary.start(["run", "--host", "local", "--model", "shell", "--json", script], { cwd: project.path });
  const session = await untilCommandRuns(follow);
  process.kill((await servicePid()).pid, "SIGKILL");
  follow.kill("SIGTERM");
  await once(follow, "exit");

  await ferry("service", "start");
  const { stdout } = await ferry("events", session, "--json");
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as TimelineEvent);
  expect(events.find(({ type }) => type === "user_message")?.payload.message).toContain(marker);
  expect(events.find(({ type }) => type === "system_message")?.payload.message).toMatch(
    /the service stopped in the middle of this turn/,
  );

  await ferry("say", "--session", session, "echo again > again.txt");
  await ferry("session", "wait", session);
  await ferry("pull", session);
  expect(await readFile(join(project.path, "again.txt"), "utf8")).toBe("again\n");
  await ferry("session", "close", session);
  expect(binary.processes()).toEqual([(await servicePid()).pid]);
});

interface TimelineEvent {
  readonly type: string;
  readonly payload: { readonly message?: string };
}

/** Reads what `ferry run --json` prints until the script runs, and gives the session's id. */
async function untilCommandRuns({ stdout }: ChildProcess): Promise<string> {
  let id = "";
  for await (const line of createInterface({ input: stdout ?? Readable.from([]) })) {
    const { type, session } = JSON.parse(line) as { type: string; session?: { id: string } };
    if (type === "session") id = session?.id ?? "";
    if (type === "agent_run_repository_command") return id;
  }
  throw new Error("the run ended before the script ran");
}

async function servicePid(): Promise<{ pid: number }> {
  return JSON.parse(await readFile(join(binary.folder, "data/service.json"), "utf8")) as { pid: number };
}

/** `seen` resolves at the n-th change in the folder. */
function signsOfLife(folder: string, signs: number): { seen: Promise<void>; stop: () => void } {
  let left = signs;
  let stop = (): void => undefined;
  const seen = new Promise<void>((resolve) => {
    const watcher = watch(folder, { recursive: true }, () => {
      left -= 1;
      if (left === 0) resolve();
    });
    stop = () => watcher.close();
  });
  return { seen, stop };
}

async function ferry(...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await binary.run(args, { cwd: project.path });
  expect(code, `ferry ${args.join(" ")}\n${stdout}${stderr}`).toBe(0);
  return { stdout, stderr };
}
