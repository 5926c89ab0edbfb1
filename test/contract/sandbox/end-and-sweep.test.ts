import { once } from "node:events";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { emptyTrash, trashed } from "../../../src/service/sandbox/folder/trash.ts";
import { findMembers } from "../../../src/service/sandbox/processes/members.ts";
import { runs } from "../../../src/service/sandbox/processes/table.ts";
import { describeDrivers, firstLine, living, run } from "../../support/sandbox-suite.ts";

await describeDrivers((room) => {
  describe("guarantee 5: the end", () => {
    test("of a command ends what it left running", async () => {
      const sandbox = await room.make();
      await sandbox.exec(["sh", "-c", "setsid sleep 1000 > /dev/null 2>&1 & sleep 0.1"]);
      expect(living(room.root)).toEqual([]);
    });

    test("of all processes, those that went away too, keeps the files", async () => {
      const sandbox = await room.make();
      const agent = await sandbox.spawn([
        "sh",
        "-c",
        'trap "" TERM HUP INT; echo x > kept; (setsid setsid sleep 1000 &) ; echo ready; sleep 1000',
      ]);
      await firstLine(agent.stdout);
      await sandbox.killAll();
      expect(living(room.root)).toEqual([]);
      expect((await agent.exit).code).not.toBe(0);
      expect(await run(sandbox, "cat kept")).toBe("x\n");
    });

    test("of the sandbox removes its folder and nothing that a link in it leads to", async () => {
      const precious = join(room.data, "precious");
      await mkdir(precious);
      await writeFile(join(precious, "file"), "x");
      const sandbox = await room.make();
      await symlink(precious, join(sandbox.hostWorkspace, "given"));
      const agent = await sandbox.spawn([
        "sh",
        "-c",
        `ln -s ${precious} link; ln -s ${precious}/file "$HOME/file"; mkdir -p a/b; ln -s / a/b/root; chmod 0 a; echo ready; sleep 1000`,
      ]);
      await firstLine(agent.stdout);
      await Promise.all([sandbox.destroy(), sandbox.destroy()]);
      expect(living(room.root)).toEqual([]);
      expect(existsSync(dirname(sandbox.hostWorkspace))).toBe(false);
      await emptyTrash(await trashed(room.root), new AbortController().signal);
      expect(await trashed(room.root)).toEqual([]);
      expect(await readFile(join(precious, "file"), "utf8")).toBe("x");
      await expect(sandbox.exec(["true"])).rejects.toThrow(/gone/);
    });
  });

  describe("guarantee 6: the sweep", () => {
    test("after kill -9 of the service: processes go, and the folder into the trash as it is; what is to be kept stays", async () => {
      const kept = await room.make();
      const service = spawn(room.program[0] ?? "", [
        ...room.program.slice(1),
        room.driver.name,
        room.root,
        "setsid sleep 1000 & echo ready; sleep 1000",
      ]);
      await firstLine(service.stdout);
      expect(living(room.root).length).toBeGreaterThan(1);
      service.kill("SIGKILL");
      await once(service, "close");
      const { swept, left: unswept } = await room.driver.sweep(room.root, new Set([kept.id]));
      expect(unswept).toEqual([]);
      expect(swept.filter(({ what }) => what === "folder")).toHaveLength(1);
      expect(swept.filter(({ what }) => what === "container")).toHaveLength(room.isContainer ? 1 : 0);
      expect(living(room.root)).toEqual([]);
      expect(await readdir(room.root)).toEqual([kept.id]);
      const left = await trashed(room.root);
      expect(left).toHaveLength(1);
      expect(await readdir(join(left[0] ?? "", "folder"))).toContain("repo");
      await emptyTrash(left, new AbortController().signal);
      expect(await trashed(room.root)).toEqual([]);
    });

    test.runIf(room.locksIn && !room.isContainer)("has nothing to end there: the kernel did", async () => {
      const service = spawn(room.program[0] ?? "", [
        ...room.program.slice(1),
        room.driver.name,
        room.root,
        "setsid sleep 1000 & echo ready; sleep 1000",
      ]);
      await firstLine(service.stdout);
      const members = findMembers({ roots: [], labelled: room.root });
      service.kill("SIGKILL");
      await once(service, "close");
      await expect.poll(() => members.filter(runs)).toEqual([]);
      expect(await room.driver.sweep(room.root, new Set())).toMatchObject({ swept: [{ what: "folder" }], left: [] });
    });
  });
});
