import { once } from "node:events";
import { spawn, type StdioOptions } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect } from "vitest";
import type { ExecOptions, Limit, Sandbox, SandboxDriver, SandboxSpec } from "../../src/service/sandbox/driver.ts";
import { findMembers } from "../../src/service/sandbox/processes/members.ts";
import { makeDrivers } from "../../src/service/sandbox/registry.ts";
import { buildProgram } from "./sandbox-build.ts";
import { machine, specIn } from "./sandbox.ts";

/** A driver under test, with a data folder of its own for its sandboxes. */
export interface Room {
  readonly driver: SandboxDriver;
  /** False for the driver that locks nothing in: it is excused from just that. */
  readonly locksIn: boolean;
  readonly unenforced: readonly Limit[];
  /** Whether what locks in is a container: its engine adds files of its own, and ends nothing with the service. */
  readonly isContainer: boolean;
  /** The data folder, and in it the folder of all sandboxes. */
  readonly data: string;
  readonly root: string;
  /** The words that run `sandbox-program.ts`, up to its arguments. */
  readonly program: readonly string[];
  /** Makes a sandbox that is destroyed after the test. */
  make(changes?: Partial<SandboxSpec>): Promise<Sandbox>;
}

export const isRoot = process.getuid?.() === 0;

/** Describes the same of every driver there is; one that doesn't work on this machine is skipped with its reason in the title. */
export async function describeDrivers(describeIt: (room: Room) => void): Promise<void> {
  for (const driver of makeDrivers(machine)) {
    const { works, reason, unenforced } = await driver.probe();
    // A machine may forbid namespaces; a sandbox with a hole is a failure on every machine.
    if (reason.includes("hole")) throw new Error(`${driver.name}: ${reason}`);
    describe.skipIf(!works)(works ? driver.name : `${driver.name} (skipped here: ${reason})`, () => {
      describeIt(useRoom(driver, unenforced));
    });
  }
}

function useRoom(driver: SandboxDriver, unenforced: readonly Limit[]): Room {
  const made: Sandbox[] = [];
  const room = {
    driver,
    locksIn: driver.name !== "process",
    unenforced,
    isContainer: driver.name === "oci",
    data: "",
    root: "",
    program: [] as string[],
    async make(changes: Partial<SandboxSpec> = {}): Promise<Sandbox> {
      const sandbox = await driver.create(specIn(room.root, changes));
      made.push(sandbox);
      return sandbox;
    },
  };
  beforeAll(async () => {
    room.data = await mkdtemp(join(tmpdir(), "ferry-sandbox-contract-"));
    room.root = join(room.data, "sandboxes");
    const programs = await mkdtemp(join(tmpdir(), "ferry-sandbox-program-"));
    await chmod(programs, 0o755);
    room.program = await buildProgram(programs);
  });
  afterEach(async () => {
    for (const sandbox of made.splice(0)) await sandbox.destroy();
  });
  afterAll(async () => {
    await rm(room.data, { recursive: true, force: true });
    await rm(dirname(room.program[1] ?? ""), { recursive: true, force: true });
  });
  return room;
}

/** Runs a script that must work; gives its output. */
export async function run(sandbox: Sandbox, script: string, options: ExecOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await sandbox.exec(["sh", "-c", script], options);
  expect({ code, stderr: code === 0 ? "" : text(stderr) }).toEqual({ code: 0, stderr: "" });
  return text(stdout);
}

export function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}

export async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  const [chunk] = (await once(stream, "data")) as [Buffer];
  return chunk.toString("utf8");
}

/** The processes of all sandboxes under a root, as `number name`. */
export function living(root: string): string[] {
  return findMembers({ roots: [], labelled: root }).map(({ pid }) => `${pid} ${ofProcess(pid, "comm").trim()}`);
}

export function ofProcess(pid: number, file: string): string {
  return existsSync(`/proc/${pid}/${file}`) ? readFileSync(`/proc/${pid}/${file}`, "utf8") : "";
}

export interface Ran {
  readonly argv: readonly string[];
  readonly stdio?: StdioOptions;
}

/** Runs a program to its end; gives what it said on both outputs. */
export async function outputOf({ argv: [program = "", ...rest], stdio }: Ran): Promise<string> {
  const child = spawn(program, rest, { env: { PATH: process.env["PATH"] }, stdio: stdio ?? "pipe" });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await once(child, "close");
  return output;
}
