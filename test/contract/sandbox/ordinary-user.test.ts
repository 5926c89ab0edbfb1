import { chown, mkdtemp, readdir, rm } from "node:fs/promises";
import { arch, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SandboxSpec } from "../../../src/service/sandbox/driver.ts";
import { roomy } from "../../support/sandbox.ts";
import { describeDrivers, isRoot, outputOf } from "../../support/sandbox-suite.ts";

await describeDrivers((room) => {
  // A user without a home has no engine.
  describe.runIf(isRoot && !room.isContainer)("an ordinary user's service", () => {
    const asNobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"];

    /** What a script says in a sandbox of a service that is run by nobody. */
    async function say(script: string, changes: Partial<SandboxSpec> = {}): Promise<string> {
      const data = await mkdtemp(join(tmpdir(), "ferry-sandbox-nobody-"));
      await chown(data, 65534, 65534);
      const argv = [...asNobody, ...room.program, room.driver.name, join(data, "sandboxes"), script, JSON.stringify(changes)];
      const output = await outputOf({ argv });
      for (const folder of ["sandboxes", "trash"]) expect(await readdir(join(data, folder))).toEqual([]);
      await rm(data, { recursive: true });
      return output;
    }

    test("has the same sandbox", async () => {
      const script =
        'id -un; mkdir -p ~/shut/in ~/shut/x; chmod 0 ~/shut/in; chmod 400 ~/shut; touch x ~/y && git init -q . && git status -s; [ -e /root ] || echo "no root"; grep -c " /repo " /proc/self/mountinfo || :';
      expect(await say(script)).toBe(room.locksIn ? "agent\n?? x\nno root\n1\n" : "nobody\n?? x\n0\n");
    });

    test("counts what is hidden in folders that nobody may look into", async () => {
      const hide =
        "mkdir -p shut/in ~/listed; exec 3> shut/in/a 4> ~/listed/b; chmod 0 shut/in; chmod 400 ~/listed; chmod 100 shut; head -c 6000000 /dev/zero >&3; head -c 6000000 /dev/zero >&4; exec sleep 30";
      expect(await say(hide, { limits: { ...roomy, diskMB: 8 } })).toBe("over: disk\n");
    });

    test.each([
      { how: "open", keep: "push @held, $file" },
      {
        how: "mapped",
        keep: `syscall(${arch() === "x64" ? 9 : 222}, 0, 6_000_000, 1, 1, fileno $file, 0) > 0 or die $!; close $file`,
      },
    ])("counts files that have no name any more and that a process has $how", async ({ keep }) => {
      const hold = `my @held; for (1 .. 3) { open my $file, "+>", "f" or die $!; unlink "f"; syswrite $file, "x" x 6_000_000; ${keep} } sleep 30`;
      expect(await say(`exec perl -e '${hold}'`, { limits: { ...roomy, diskMB: 8 } })).toBe("over: disk\n");
    });

    test("keeps memory by measuring", async () => {
      const hungry = `perl -e 'my @a; while (1) { push @a, "x" x 1_000_000; select undef, undef, undef, 0.005 }'`;
      expect(await say(hungry, { limits: { ...roomy, memoryMB: 100 } })).toBe("over: memory\n");
    });

    test("keeps the number of processes", async () => {
      const fork = `perl -e '$| = 1; for (1 .. 60) { my $p = fork; if (!defined $p) { print "refused\n"; last } unless ($p) { sleep 20; exit } } select undef, undef, undef, 1.5'`;
      expect(await say(fork, { limits: { ...roomy, processes: 30 } })).toBe(room.locksIn ? "refused\n" : "over: processes\n");
    });
  });
});
