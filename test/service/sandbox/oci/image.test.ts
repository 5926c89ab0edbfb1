import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SandboxDriver } from "../../../../src/service/sandbox/driver.ts";
import { oci } from "../../../../src/service/sandbox/drivers/oci.ts";
import { makeTestEngine } from "../../../support/engine.ts";
import { commitFiles, gitIn, makeFolder, makeRepository } from "../../../support/git.ts";
import { machine, specIn, withRoot } from "../../../support/sandbox.ts";
import { imageDriver, imageMark } from "../../../support/sandbox-image.ts";
import { run } from "../../../support/sandbox-suite.ts";

const { works, reason } = await oci(machine).probe();

/** What a hostile agent tries is the same with an image as with each driver: `contract/hostile.test.ts`. */
describe.skipIf(!works)(`an image with programs of its own (${reason})`, () => {
  const folder = makeFolder();
  let driver: SandboxDriver;
  beforeAll(() => void (driver = imageDriver()));
  afterAll(() => folder.remove());

  test("has all that agents need, and keeps the same limits", async () => {
    const [own, shown] = await Promise.all([driver.probe(), oci(machine).probe()]);
    expect(own).toMatchObject({ works: true, image: expect.stringContaining("ferry-test-image") as string });
    expect(own.unenforced).toEqual(shown.unenforced);
  });

  test("is all that is seen of programs, and nothing in it can be written", async () => {
    await withRoot(async (root) => {
      const sandbox = await driver.create(specIn(root));
      try {
        expect(await run(sandbox, "ls /usr/share; command -v apt dpkg chromium || true")).toBe(
          `${imageMark.split("/").at(-1)}\n`,
        );
        expect(
          await run(sandbox, 'for path in / /usr /usr/bin /etc /opt; do (: > "$path/x") 2>/dev/null && echo "$path"; done; true'),
        ).toBe("");
        expect(await run(sandbox, "id -u")).not.toBe("0\n");
      } finally {
        await sandbox.destroy();
      }
    });
  });

  test("runs a whole session: its git clones and commits, its Node runs the agent, and the commit comes home", async () => {
    const base = commitFiles(makeRepository(join(folder.path, "repository")), { a: "1\n" });
    const engine = await makeTestEngine({ driver, node: { path: "node", mounts: [] } });
    const session = await engine.start(await engine.register(join(folder.path, "repository")), { base_commit: base });
    const after = await engine.work(session, `ls ${imageMark} > seen && node --print 'process.execPath' >> seen`);
    expect(after).toMatchObject({ status: "active", agent_status: "idle" });
    const home = gitIn(join(engine.data, "sessions", session.id, "repo.git"));
    expect(home("show", `${after.head_commit ?? ""}:seen`)).toBe(`${imageMark}\n/usr/bin/node`);
    await engine.close();
  });
});
