import { arch } from "node:os";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeDrivers } from "../../../src/service/sandbox/registry.ts";
import { machine, roomy, specIn } from "../../support/sandbox.ts";
import { describeDrivers, firstLine, living, run, text } from "../../support/sandbox-suite.ts";

/** Of asm/unistd_64.h, and of asm-generic/unistd.h. */
const calls = arch() === "x64" ? { mmap: 9, unshare: 272, exit: 60 } : { mmap: 222, unshare: 97, exit: 93 };

/** Perl that holds three files without a name, each below the limit of 8 MB: `keep` is what is done with one that is to be held. */
function holding(keep: string): string {
  return `my @held; for my $n (1 .. 3) { open my $file, "+>", "f$n" or die $!; unlink "f$n"; syswrite $file, "x" x 6_000_000; ${keep} } sleep 100;`;
}

const open = holding("push @held, $file;");
/** With descriptors that are the thread's alone (CLONE_FILES), and without the thread that the process began with. */
const inThread = `use threads; threads->create(sub { syscall(${calls.unshare}, 0x400) == 0 or die $!; ${open} }); syscall(${calls.exit}, 0)`;
/** All of it (PROT_READ, MAP_SHARED), and closed. */
const mapped = holding(`syscall(${calls.mmap}, 0, 6_000_000, 1, 1, fileno $file, 0) > 0 or die $!; close $file;`);

await describeDrivers((room) => {
  describe("guarantee 4: limits", () => {
    test.skipIf(room.unenforced.includes("memory"))("memory", async () => {
      const sandbox = await room.make({ limits: { ...roomy, memoryMB: 64 } });
      const hungry = 'my @a; while (1) { push @a, "x" x 1_000_000; select undef, undef, undef, 0.002 }';
      expect((await sandbox.exec(["perl", "-e", hungry], { timeout: 20_000 })).code).not.toBe(0);
      expect(sandbox.exceeded()).toBe("memory");
    });

    test.skipIf(room.unenforced.includes("processes"))("processes", async () => {
      const sandbox = await room.make({ limits: { ...roomy, processes: 30 } });
      const fork =
        'my $n = 0; for (1 .. 60) { my $p = fork; last unless defined $p; unless ($p) { sleep 20; exit } $n++ } print "$n\\n"; kill 9, -$$';
      const { stdout } = await sandbox.exec(["perl", "-e", `$| = 1; ${fork}`], { timeout: 20_000 });
      expect(Number(text(stdout))).toBeLessThan(30);
    });

    test("wall time, after which no agent starts but its work can be brought home", async () => {
      let ahead = 0;
      const clock = { ...machine.clock, elapsed: () => machine.clock.elapsed() + ahead };
      const driver = makeDrivers({ ...machine, clock }).find(({ name }) => name === room.driver.name) ?? room.driver;
      const sandbox = await driver.create(specIn(room.root, { limits: { ...roomy, wall: 3_600_000 } }));
      onTestFinished(() => sandbox.destroy());
      const agent = await sandbox.spawn(["sh", "-c", "echo work > done.txt; setsid sleep 100 & echo ready; sleep 100"]);
      await firstLine(agent.stdout);
      ahead = 7_200_000;
      expect((await agent.exit).code).not.toBe(0);
      expect(living(room.root)).toEqual([]);
      expect(sandbox.exceeded()).toBe("wall");
      await expect(sandbox.spawn(["true"])).rejects.toThrow(/over its limit \(wall\)/);
      expect(await run(sandbox, "cat done.txt")).toBe("work\n");
    });

    test("disk, summed over files", async () => {
      const sandbox = await room.make({ limits: { ...roomy, diskMB: 8 } });
      const result = await sandbox.exec(
        ["sh", "-c", 'i=0; while :; do i=$((i+1)); head -c 200000 /dev/zero > "f$i"; sleep 0.02; done'],
        { timeout: 20_000 },
      );
      expect(result.code).not.toBe(0);
      expect(sandbox.exceeded()).toBe("disk");
    });

    test.each([
      { how: "open", script: open },
      { how: "open in a thread of its own", script: inThread },
      { how: "mapped", script: mapped },
    ])("disk, with files that have no name any more and that a process has $how", async ({ script }) => {
      const sandbox = await room.make({ limits: { ...roomy, diskMB: 8 } });
      const { stderr } = await sandbox.exec(["perl", "-e", script], { timeout: 20_000 });
      expect({ over: sandbox.exceeded(), stderr: text(stderr) }).toEqual({ over: "disk", stderr: "" });
    });

    test.runIf(room.locksIn)("a single file, at once", async () => {
      const sandbox = await room.make({ limits: { ...roomy, diskMB: 8 } });
      const size = await run(sandbox, "head -c 20000000 /dev/zero 2>/dev/null > big; stat -c %s big");
      expect(Number(size)).toBeLessThanOrEqual(8 * 1024 * 1024);
    });
  });
});
