import { type StdioOptions } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, open, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeDrivers, isRoot, outputOf, run, text, type Ran } from "../../support/sandbox-suite.ts";

await describeDrivers((room) => {
  describe.runIf(room.locksIn)("guarantee 1: the host isn't there", () => {
    test("neither its homes, nor its secrets, nor other sandboxes, nor the service's data", async () => {
      const other = await room.make();
      await writeFile(join(other.hostWorkspace, "secret"), "x");
      await writeFile(join(room.data, "database"), "x");
      const sandbox = await room.make();
      const hidden = [
        homedir(),
        "/root",
        "/etc/shadow",
        other.hostWorkspace,
        room.data,
        room.root,
        "/var",
        ...(room.isContainer
          ? ["/run/podman", "/run/docker.sock", "/run/dbus", "/run/lock", "/sys/firmware/dmi"]
          : ["/run", "/sys"]),
        "/work",
        "/mnt",
        "/srv",
      ];
      const seen = await run(sandbox, hidden.map((path) => `[ ! -e ${path} ] || echo ${path}`).join("\n"));
      expect(seen.replace(/^\/home\/agent\n/m, "")).toBe("");
      const shown = ["dev", "etc", "home", "proc", "repo", "tmp", "usr", ...(room.isContainer ? ["opt", "run", "sys"] : [])];
      expect((await run(sandbox, "ls /")).split("\n").filter((name) => name !== "" && !/^(lib.*|s?bin)$/.test(name))).toEqual(
        shown.sort(),
      );
      const enginesOwn = room.isContainer ? "|hostname|mtab|resolv.conf" : "";
      expect(await run(sandbox, `ls /home; ls /etc | grep -vxE 'alternatives|ssl|ld.so.cache${enginesOwn}'`)).toBe(
        "agent\ngroup\nhosts\nnsswitch.conf\npasswd\n",
      );
    });

    test("no other process, no capability, no way to more", async () => {
      const sandbox = await room.make();
      expect(
        await run(
          sandbox,
          "id -un; grep -E '^(Cap|NoNewPrivs)' /proc/self/status | tr -d '\\t'; [ $(ls /proc | grep -cE '^[0-9]+$') -lt 8 ] && echo alone",
        ),
      ).toBe(
        "agent\nCapInh:0000000000000000\nCapPrm:0000000000000000\nCapEff:0000000000000000\nCapBnd:0000000000000000\nCapAmb:0000000000000000\nNoNewPrivs:1\nalone\n",
      );
      expect((await sandbox.exec(["unshare", "--user", "true"])).code).not.toBe(0);
      expect((await sandbox.exec(["mount", "-t", "tmpfs", "x", "/tmp"])).code).not.toBe(0);
    });

    test("all but workspace, home and temporary folders is read-only, the system's settings too", async () => {
      const sandbox = await room.make();
      const paths = ["/x", "/usr/x", "/usr/bin/x", "/etc/x", "/etc/ssl/x", "/dev/x", "/home/x", "/proc/sys/x"];
      expect(await run(sandbox, paths.map((path) => `(: > ${path}) 2>/dev/null && echo ${path}`).join("\n") + "\n:")).toBe("");
      const settings = [
        "kernel/core_pattern",
        "kernel/hostname",
        "user/max_user_namespaces",
        "net/ipv4/ip_forward",
        "vm/overcommit_memory",
      ];
      expect(
        await run(sandbox, settings.map((path) => `(: >> /proc/sys/${path}) 2>/dev/null && echo ${path}`).join("\n") + "\n:"),
      ).toBe("");
      // Their owners are others already: the mount is what holds for a service that can't give the agent a user of its own.
      expect(await run(sandbox, "grep ' /proc/sys ' /proc/self/mountinfo | cut -d ' ' -f 6 | cut -d , -f 1")).toBe("ro\n");
      expect(await run(sandbox, "(echo b > /proc/sysrq-trigger) 2>/dev/null && echo dangerous; :")).toBe("");
    });

    test("no terminal, a session of its own, no descriptor of the service's", async () => {
      const sandbox = await room.make();
      expect(
        await run(sandbox, "(: < /dev/tty) 2>/dev/null && echo tty; ls /dev/pts /dev/ptmx /dev/console 2>/dev/null; :"),
      ).toBe("/dev/ptmx\n\n/dev/pts:\nptmx\n");
      expect(await run(sandbox, "cut -d ' ' -f 7 /proc/self/stat")).toBe("0\n");
      const opened = await run(sandbox, 'for f in /proc/self/fd/*; do [ "${f##*/}" -lt 3 ] || readlink "$f" || :; done');
      expect(
        opened.split("\n").filter((target) => target !== "" && target !== "/dev/null" && !target.startsWith("/proc/")),
      ).toEqual([]);
    });

    test.runIf(existsSync("/usr/bin/script"))(
      "terminals of its own, into which nothing types but who has the other end",
      async () => {
        const sandbox = await room.make();
        const type = `perl -e 'ioctl(STDIN, 0x5412, my $c = "x") or print "not typed: ", $! + 0, "\\n"'`;
        const onTerminal = `tty; test -t 0 && echo "a terminal"; (: < /dev/tty) && echo "its own"; ${type}`;
        const output = text((await sandbox.exec(["script", "-qec", onTerminal, "/dev/null"])).stdout);
        expect(output).toBe("/dev/pts/0\r\na terminal\r\nits own\r\nnot typed: 1\r\n");
        // Another process of the same sandbox has others.
        expect(await run(sandbox, "ls /dev/pts")).toBe("ptmx\n");
      },
    );

    test.runIf(isRoot)("what it writes belongs to nobody on the host", async () => {
      const sandbox = await room.make();
      await run(sandbox, "touch mine");
      const owner = text((await sandbox.exec(["stat", "-c", "%u", "/proc/1"])).stdout).trim();
      const { uid } = await stat(join(sandbox.hostWorkspace, "mine"));
      expect(owner).toBe(room.isContainer ? String(uid) : "1000");
      expect(uid).toBeGreaterThan(60_000);
    });
  });

  test.runIf(isRoot && room.locksIn)("a mount below a mount is read-only too", async () => {
    const source = join(room.data, "nested");
    await mkdir(join(source, "be low"), { recursive: true });
    const changes = JSON.stringify({ mounts: [{ source, target: "/opt/nested" }] });
    const script = '(: > "/opt/nested/be low/x") 2>/dev/null && echo writable; ls "/opt/nested/be low"';
    const service = [...room.program, room.driver.name, join(room.data, "nested-sandboxes"), script, changes];
    const mounting = 'mount -t tmpfs -o noexec ferry "$1/be low" && touch "$1/be low/there" && shift && exec "$@"';
    expect(await outputOf({ argv: ["unshare", "--mount", "sh", "-c", mounting, "sh", source, ...service] })).toBe("there\n");
  });

  test.runIf(room.locksIn)("what the service's parent left open isn't seen inside", async () => {
    const path = join(room.data, "open");
    await writeFile(path, "secret");
    const file = await open(path);
    const script = "for f in /proc/self/fd/*; do readlink $f || :; done";
    const stdio: StdioOptions = ["ignore", "pipe", "pipe", ...Array<"ignore">(37).fill("ignore"), file.fd];
    const ran = { argv: [...room.program, room.driver.name, join(room.data, "open-sandboxes"), script], stdio };
    const output = await outputOf(ran);
    await file.close();
    expect(output).toMatch(/socket:|pipe:/);
    expect(output).not.toContain(path);
  });

  test.runIf(room.locksIn && existsSync("/usr/bin/script"))("the terminal of the service isn't to be had", async () => {
    const reach = '(: < /dev/tty) 2>/dev/null && echo "a terminal"; echo "session $(cut -d " " -f 7 /proc/self/stat)"';
    const quoted = (words: readonly string[]): string => words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
    const onTerminal = (words: readonly string[]): Ran => ({ argv: ["script", "-qec", quoted(words), "/dev/null"] });
    expect(await outputOf(onTerminal(["sh", "-c", reach]))).toContain("a terminal");
    const service = [...room.program, room.driver.name, join(room.data, "terminal-sandboxes"), reach];
    expect(await outputOf(onTerminal(service))).toBe("session 0\r\n");
  });
});
