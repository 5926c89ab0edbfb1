import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ReaderGoneError } from "../../src/base/errors.ts";
import { type Direct, mayBeTerminal, openDirect } from "../../src/host/direct.ts";
import type { Output } from "../../src/host/host.ts";
import { makeDirectOutput } from "../../src/host/terminal.ts";

let folder: string;
let opened: number[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ferry-direct-"));
  opened = [];
});
afterEach(() => {
  for (const fd of opened) closeSync(fd);
  rmSync(folder, { recursive: true, force: true });
});

test("a file takes all, behind what it has; /dev/null too; neither may be a terminal", () => {
  const path = join(folder, "out");
  const out = open(path, "w");
  writeSync(out, "before\n");
  expect(existing(openDirect(out))(Buffer.from("x".repeat(200_000)))).toBe(200_000);
  expect(readFileSync(path, "utf8")).toBe(`before\n${"x".repeat(200_000)}`);
  const nowhere = open("/dev/null", "w");
  expect(existing(openDirect(nowhere))(Buffer.from("x"))).toBe(1);
  expect([out, nowhere].map(mayBeTerminal)).toEqual([false, false]);
});

test("a file that can't be written says why", async () => {
  const out = open("/dev/null", "r");
  const output = makeDirectOutput(existing(openDirect(out)), {}, noStream);
  await expect(output.write("x")).rejects.toThrow("can't write the output: bad file descriptor");
});

test("a socket, and a device that may be a terminal, are left to the stream", async () => {
  expect(openDirect(open("/dev/full", "w"))).toBeUndefined();
  const server = createServer().listen(join(folder, "socket"));
  const client = connect(join(folder, "socket"));
  await new Promise((resolve) => client.once("connect", resolve));
  const { fd } = (client as unknown as { _handle: { fd: number } })._handle;
  expect([openDirect(fd), mayBeTerminal(fd)]).toEqual([undefined, false]);
  client.destroy();
  server.close();
});

describe.runIf(process.platform === "linux")("a pipe", () => {
  test("takes what fits, and never waits; the stream gets the rest, and all that follows", async () => {
    const { reader, writer } = pipe();
    const rest: Buffer[] = [];
    const output = makeDirectOutput(existing(openDirect(writer)), {}, () => keeping(rest));
    await output.write("first\n");
    expect(read(reader)).toBe("first\n");
    const much = Buffer.alloc(100_000, "y");
    await output.write(much);
    const taken = read(reader);
    expect(taken.length).toBeGreaterThan(4_096);
    // There is room again, but what comes later comes later.
    await output.write("last\n");
    expect(taken + Buffer.concat(rest).toString()).toBe(`${much.toString()}last\n`);
    expect(rest).toHaveLength(2);
  });

  test("whose other openings may wait still does so", () => {
    const { writer } = pipe();
    openDirect(writer);
    // proc(5), fdinfo: the flags in octal.
    const [, flags = ""] = /^flags:\s*(\d+)$/mu.exec(readFileSync(`/proc/self/fdinfo/${writer}`, "utf8")) ?? [];
    expect(parseInt(flags, 8) & constants.O_NONBLOCK).toBe(0);
  });

  test("without a reader is left to the stream; one that loses it says so", async () => {
    const { reader, writer } = pipe();
    const output = makeDirectOutput(existing(openDirect(writer)), {}, noStream);
    closeSync(reader);
    opened = opened.filter((fd) => fd !== reader);
    expect(openDirect(writer)).toBeUndefined();
    await expect(output.write("x")).rejects.toBeInstanceOf(ReaderGoneError);
  });
});

test("is no terminal, and has colour where it is forced alone", () => {
  const output = (env: Record<string, string>): Output => makeDirectOutput(() => 0, env, noStream);
  const { isTTY, columns, rows, color } = output({});
  expect({ isTTY, columns, rows, color }).toEqual({ isTTY: false, columns: 80, rows: undefined, color: false });
  expect(output({ FORCE_COLOR: "1" }).color).toBe(true);
});

function open(path: string, flags: string | number): number {
  const fd = openSync(path, flags);
  opened.push(fd);
  return fd;
}

/** The reader doesn't wait, and the writer does. */
function pipe(): { reader: number; writer: number } {
  const path = join(folder, "pipe");
  execFileSync("mkfifo", [path]);
  const reader = open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { reader, writer: open(path, constants.O_WRONLY) };
}

/** All that is there. */
function read(fd: number): string {
  const bytes = Buffer.alloc(1_000_000);
  return bytes.subarray(0, readSync(fd, bytes)).toString();
}

function existing(direct: Direct | undefined): Direct {
  if (direct === undefined) throw new Error("it needs a stream");
  return direct;
}

function noStream(): Output {
  throw new Error("it needs no stream");
}

function keeping(kept: Buffer[]): Output {
  return {
    isTTY: false,
    columns: 80,
    color: false,
    write: (text) => Promise.resolve(void kept.push(Buffer.from(text as Uint8Array))),
  };
}
