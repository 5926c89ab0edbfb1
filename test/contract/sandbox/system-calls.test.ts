import { existsSync } from "node:fs";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { arch, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { processorOf } from "../../../src/service/sandbox/namespaces/system-calls.ts";
import { describeDrivers, isRoot, outputOf, run } from "../../support/sandbox-suite.ts";

const processor = processorOf(arch());
const perl = existsSync("/usr/bin/perl");

describe.skipIf(processor === undefined || !perl)(
  `system calls (needs perl, and a processor whose calls are known: ${arch()})`,
  async () => {
    const { keys: [addKey, , keyctl] = [], socket = 0 } = processor ?? {};

    /** Joins a new session keyring (KEYCTL_JOIN_SESSION_KEYRING), puts a key into it, and goes on as what follows. */
    const login = `
    syscall(${keyctl}, 1, 0) > 0 or die "join: $!";
    my ($type, $name, $secret) = ("user", "ferry-login", "s3cret");
    syscall(${addKey}, $type, $name, $secret, length $secret, -3) > 0 or die "add: $!";
    exec @ARGV`;

    /** Searches the session keyring (KEYCTL_SEARCH), reads what it finds (KEYCTL_READ), and adds a key of its own. */
    const thief = `
    my ($type, $name, $other, $found) = ("user", "ferry-login", "ferry-message", " " x 64);
    my $key = syscall(${keyctl}, 10, -3, $type, $name, 0);
    print $key > 0 && syscall(${keyctl}, 11, $key, $found, 64) > 0 ? "read $found" : "not read: " . ($! + 0);
    print syscall(${addKey}, $type, $other, $name, 4, -3) > 0 ? ", added" : ", not added: " . ($! + 0)`;

    await describeDrivers((room) => {
      test("the session keyring of the service's login is neither read nor written", async () => {
        const service = [...room.program, room.driver.name, join(room.data, "keyring-sandboxes"), `perl -e '${thief}'`];
        const output = await outputOf({ argv: ["perl", "-e", login, ...service] });
        if (room.locksIn) expect(output).toBe("not read: 38, not added: 38");
        else expect(output).toMatch(/^read s3cret\0? +, added$/);
      });

      test.runIf(room.locksIn && !room.isContainer && existsSync("/proc/keys"))(
        "nor are the names of its keys told to an ordinary user's sandbox",
        async () => {
          const data = await mkdtemp(join(tmpdir(), "ferry-sandbox-keys-"));
          onTestFinished(() => rm(data, { recursive: true }));
          const say = [...room.program, room.driver.name, join(data, "sandboxes"), "! cat /proc/keys 2>/dev/null && echo shut"];
          if (isRoot) await chown(data, 65534, 65534);
          const asNobody = isRoot ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] : [];
          // In this order: the Node of this run may lie where only root can look, and setpriv keeps that right until it starts it.
          expect(await outputOf({ argv: ["perl", "-e", login, "--", ...asNobody, ...say] })).toBe("shut\n");
        },
      );

      test.runIf(room.locksIn)("no io_uring, and no socket of a family that the network namespace doesn't bound", async () => {
        const sandbox = await room.make();
        const uring = 'my $parameters = "\\0" x 120; print syscall(425, 1, $parameters) == -1 ? $! + 0 : "made"';
        expect(await run(sandbox, `perl -e '${uring}'`)).toBe("38");
        // Each with a type that it has: a datagram for AF_NETLINK, a sequence of packets for AF_ALG, else a stream.
        const dial = `my %type = (16, 2, 38, 5); print map { syscall(${socket}, 0 + $_, $type{$_} // 1, 0) < 0 ? "$_: $!\\n" : "$_\\n" } @ARGV`;
        const refusal = "Address family not supported by protocol";
        expect(await run(sandbox, `LC_ALL=C perl -e '${dial}' 1 2 16 38 40`)).toBe(`1\n2\n16\n38: ${refusal}\n40: ${refusal}\n`);
      });
    });
  },
);
