import { once } from "node:events";
import { chmod, mkdir } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findMembers } from "../../../src/service/sandbox/processes/members.ts";
import { describeDrivers, firstLine, ofProcess, run, text } from "../../support/sandbox-suite.ts";

await describeDrivers((room) => {
  describe("guarantee 2: the environment is a list", () => {
    test("with what was given and nothing of the service's, and not to be read from outside", async () => {
      const secret = "s3cret'\"$(id)\n-value";
      const sandbox = await room.make({ env: { GIVEN: secret } });
      const result = await sandbox.exec(["env", "-0"], { env: { MORE: "1" } });
      const names = text(result.stdout)
        .split("\0")
        .map((line) => line.split("=")[0] ?? "");
      const allowed = ["", "PWD", "OLDPWD", "SHLVL", "_", ...(room.locksIn ? [] : ["FERRY_SANDBOX"])];
      expect(names.filter((name) => !allowed.includes(name)).sort()).toEqual([
        "GIVEN",
        "HOME",
        "LANG",
        "MORE",
        "PATH",
        "TMPDIR",
        "USER",
      ]);
      expect(text(result.stdout)).toContain(`GIVEN=${secret}\0`);
      const inside = await sandbox.spawn(["cat"]);
      inside.stdin.write("x\n");
      await firstLine(inside.stdout);
      const lines = findMembers({ roots: [], labelled: room.root }).map(({ pid }) => ofProcess(pid, "cmdline"));
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.join("\n")).not.toContain("s3cret");
      inside.kill();
      await inside.exit;
    });

    test.runIf(room.locksIn)("which doesn't reach the programs that build the sandbox", async () => {
      const sandbox = await room.make({ env: { LD_PRELOAD: "/repo/evil.so", BASH_ENV: "/repo/evil", ENV: "/repo/evil" } });
      const result = await sandbox.exec(["env"]);
      expect(text(result.stdout)).toContain("LD_PRELOAD=/repo/evil.so\n");
      expect(
        text(result.stderr)
          .split("\n")
          .filter((line) => line.includes("evil")).length,
      ).toBeLessThanOrEqual(2);
      await expect(room.make({ env: { "A;id": "x" } }).then((made) => made.exec(["env"]))).rejects.toThrow(
        /no name of an environment variable/,
      );
    });
  });

  describe.runIf(room.locksIn)("guarantee 3: no network", () => {
    test("no interface but lo, no way to a port of the host's, a way to the one socket", async () => {
      const server = createServer((connection) => connection.end("from outside"));
      const folder = join(room.data, "gateway");
      await mkdir(folder, { mode: 0o700 });
      server.listen(join(folder, "model.sock"));
      await once(server, "listening");
      await chmod(join(folder, "model.sock"), 0o666);
      const tcp = createServer().listen(0, "127.0.0.1");
      await once(tcp, "listening");
      const address = tcp.address();
      const port = typeof address === "object" ? String(address?.port) : "";
      const sandbox = await room.make({ sockets: [{ source: folder, target: "/run/ferry" }] });
      expect(await run(sandbox, "tail -n +3 /proc/net/dev | cut -d : -f 1 | tr -d ' '")).toBe("lo\n");
      const dial = (where: string): string =>
        `perl -MIO::Socket::INET -MIO::Socket::UNIX -e 'my $s = ${where}; print $s ? (<$s> // "") : "none"'`;
      expect(await run(sandbox, dial(`IO::Socket::INET->new("127.0.0.1:${port}")`))).toBe("none");
      expect(await run(sandbox, dial('IO::Socket::UNIX->new("/run/ferry/model.sock")'))).toBe("from outside");
      server.close();
      tcp.close();
    });
  });
});
