import { mkdtemp, rm } from "node:fs/promises";
import { arch, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { heldBy } from "../../../../src/service/sandbox/limits/held.ts";
import { start } from "../../../../src/service/sandbox/processes/start.ts";
import { readEntry, type ProcessEntry } from "../../../../src/service/sandbox/processes/table.ts";
import { machine } from "../../../support/sandbox.ts";
import { firstLine } from "../../../support/sandbox-suite.ts";

const linux = process.platform === "linux";
/** memfd_create of asm/unistd_64.h, and of asm-generic/unistd.h. */
const memfd = arch() === "x64" ? 319 : 279;
const megabyte = 1024 * 1024;

/** A process that has done what `script` says in `folder`, in perl, and then holds on to it. */
async function holder(folder: string, script: string): Promise<ProcessEntry> {
  const argv = ["perl", "-e", `$| = 1; ${script}; print "ready\n"; sleep 100`];
  const { pid, stdout, exit } = await start({ argv, env: { PATH: process.env["PATH"] ?? "" }, cwd: folder });
  onTestFinished(async () => {
    machine.processes.kill(pid, "SIGKILL");
    await exit;
  });
  await firstLine(stdout);
  const entry = readEntry(pid);
  if (entry === undefined) throw new Error("it ended");
  return entry;
}

async function scratch(parent = tmpdir()): Promise<string> {
  const folder = await mkdtemp(join(parent, "ferry-held-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

const write = `sub held { open my $file, "+>", $_[0] or die $!; syswrite $file, "x" x ${megabyte}; $file }`;

test.runIf(linux).each([
  { what: "that was deleted counts", script: 'my $held = held "a"; unlink "a"', bytes: megabyte },
  { what: "that has a name still is du's", script: 'my $held = held "a"; link "a", "b"; unlink "a"', bytes: 0 },
  {
    what: "counts once, however often it is open",
    script: 'my $held = held "a"; open my $other, "<", "a"; open my $third, "<&", $other; unlink "a"',
    bytes: megabyte,
  },
  { what: "counts what it takes", script: 'my $held = held "a"; truncate $held, 1e9; unlink "a"', bytes: megabyte },
  { what: "counts without content, too", script: 'my $held = held "a"; truncate $held, 0; unlink "a"', bytes: 4096 },
  {
    what: "that is memory is no matter",
    script: `my $number = syscall(${memfd}, my $name = "a", 0); open my $held, "+<&=", $number or die $!; syswrite $held, "x" x ${megabyte}`,
    bytes: 0,
  },
])("an open file $what", async ({ script, bytes }) => {
  const folder = await scratch();
  expect(await heldBy([await holder(folder, `${write} ${script}`)], folder)).toEqual({ bytes, hidden: false });
});

/** All of it (PROT_READ, MAP_SHARED). */
const map = `syscall(${arch() === "x64" ? 9 : 222}, 0, ${megabyte}, 1, 1, fileno $held, 0) > 0 or die $!`;

// Two file systems, mostly.
test.runIf(linux).each([tmpdir(), "/var/tmp"])(
  "a mapped file that was deleted counts once, open or not, in %s",
  async (parent) => {
    const folder = await scratch(parent);
    const open = await holder(folder, `${write} my $held = held "a"; unlink "a"; ${map}`);
    const closed = await holder(folder, `${write} my $held = held "b"; unlink "b"; ${map}; ${map}; close $held`);
    const named = await holder(folder, `${write} my $held = held "c"; ${map}; close $held`);
    expect(await heldBy([open, closed, named], folder)).toEqual({ bytes: 2 * megabyte, hidden: false });
  },
);

test.runIf(linux)("several processes' are summed, and who is gone holds nothing", async () => {
  const folder = await scratch();
  const holding = [
    await holder(folder, `${write} my $a = held "a"; unlink "a"`),
    await holder(folder, `${write} my $a = held "b"; unlink "b"`),
  ];
  const gone = { pid: 2 ** 30, started: "1", parent: 1, threads: 1 };
  expect(await heldBy([...holding, gone], folder)).toEqual({ bytes: 2 * megabyte, hidden: false });
  expect(await heldBy([gone], folder)).toEqual({ bytes: 0, hidden: false });
});
