import { realpathSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeDrivers, firstLine, living, run, text } from "../../support/sandbox-suite.ts";

await describeDrivers((room) => {
  describe("what runs in it", () => {
    test("reads its input, writes both outputs, and its exit status is told", async () => {
      const sandbox = await room.make();
      const result = await sandbox.exec(["sh", "-c", "cat; echo oops >&2; exit 7"], { input: "in" });
      expect(result.code).toBe(7);
      expect(text(result.stdout)).toBe("in");
      expect(text(result.stderr)).toBe("oops\n");
    });

    test("is a program, not a word of the shell", async () => {
      const sandbox = await room.make();
      expect(text((await sandbox.exec(["printf", "%s|", "a b", "$HOME", "'"])).stdout)).toBe("a b|$HOME|'|");
      expect((await sandbox.exec(["exit", "3"])).code).not.toBe(3);
    });

    test("works in git with the files as its own, and keeps them from one process to the next", async () => {
      const sandbox = await room.make();
      await writeFile(join(sandbox.hostWorkspace, "given.txt"), "from the service\n");
      await run(sandbox, "git init -q . && git add . && git -c user.name=A -c user.email=a@example.org commit -qm one");
      expect(await run(sandbox, "git status --porcelain; git log --format=%s; echo more >> given.txt; touch ~/kept")).toBe(
        "one\n",
      );
      expect(await run(sandbox, 'pwd; cat given.txt; ls "$HOME"')).toBe(`${sandbox.workspace}\nfrom the service\nmore\nkept\n`);
    });

    test("can use temporary files, a shared memory folder and loopback", async () => {
      const sandbox = await room.make();
      expect(await run(sandbox, 'f=$(mktemp) && case $f in "$TMPDIR"/*) echo ok ;; esac; : > /dev/shm/x && rm /dev/shm/x')).toBe(
        "ok\n",
      );
      const server =
        'require("net").createServer(c=>c.end("hi")).listen(0,"127.0.0.1",function(){require("net").connect(this.address().port,"127.0.0.1").on("data",d=>{console.log(String(d));process.exit()})})';
      if (realpathSync(process.execPath).startsWith("/usr/")) expect(await run(sandbox, `node -e '${server}'`)).toBe("hi\n");
    });

    test("talks over pipes as long as it lives, and several do at once", async () => {
      const sandbox = await room.make();
      const one = await sandbox.spawn(["sh", "-c", 'while read -r line; do echo "one $line"; done; echo bye >&2; exit 4']);
      const other = await sandbox.spawn(["cat"]);
      one.stdin.write("hello\n");
      other.stdin.write("HELLO\n");
      expect(await firstLine(one.stdout)).toBe("one hello\n");
      expect(await firstLine(other.stdout)).toBe("HELLO\n");
      one.stdin.end();
      expect(await one.exit).toEqual({ code: 4, signal: null });
      expect(one.stderrTail()).toBe("bye\n");
      other.kill();
      expect((await other.exit).code).not.toBe(0);
    });

    test("is ended when it says or takes too much, or when nobody wants it any more", async () => {
      const sandbox = await room.make();
      await expect(sandbox.exec(["yes"], { limit: 1000 })).rejects.toThrow(/more than 1000 bytes/);
      await expect(sandbox.exec(["sleep", "100"], { timeout: 50 })).rejects.toThrow(/longer than/);
      const gone = new Error("gone");
      await expect(sandbox.exec(["sleep", "100"], { signal: AbortSignal.abort(gone) })).rejects.toBe(gone);
      expect(living(room.root)).toEqual([]);
    });

    test("sees a mount of the host's read-only, at its target", async () => {
      const source = join(room.data, "tool");
      await mkdir(source);
      await writeFile(join(source, "hello"), "#!/bin/sh\necho tool\n", { mode: 0o755 });
      const sandbox = await room.make({ mounts: [{ source, target: "/opt/tool" }] });
      expect(text((await sandbox.exec(["/opt/tool/hello"])).stdout)).toBe("tool\n");
      if (room.locksIn) expect((await sandbox.exec(["touch", "/opt/tool/x"])).code).not.toBe(0);
    });
  });
});
