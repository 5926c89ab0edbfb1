import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bwrap } from "../../../../src/service/sandbox/drivers/bwrap.ts";
import { oci } from "../../../../src/service/sandbox/drivers/oci.ts";
import { findMembers } from "../../../../src/service/sandbox/processes/members.ts";
import { machine, roomy, specIn, withRoot } from "../../../support/sandbox.ts";
import { firstLine } from "../../../support/sandbox-suite.ts";

const withEnv = (env: Record<string, string>, platform = machine.platform) =>
  oci({ ...machine, platform, env: { ...machine.env, ...env } });

/** An engine that answers as docker does and keeps what it was asked; it knows no podman, and no image but its own empty one. */
async function fakeDocker(folder: string): Promise<string> {
  const path = join(folder, "docker");
  const script = `#!/bin/sh
echo "$*" >> "$0.log"
case "$1 $*" in
  info*Version.Version*) echo "template: no such field" >&2; exit 1 ;;
  info*) echo '28.2.2 ["name=seccomp,profile=builtin","name=rootless"]' ;;
  image*ferry-empty*) echo null ;;
  run*--userns*|run*--timeout*|run*--read-only-tmpfs*) echo "unknown flag" >&2; exit 125 ;;
  rm*--time*) exit 125 ;;
  *) echo "Error: no such thing" >&2; exit 1 ;;
esac
`;
  await writeFile(path, script);
  await chmod(path, 0o755);
  return path;
}

describe("what is missing is told with its remedy:", () => {
  test("an engine", async () => {
    const { works, reason } = await withEnv({ FERRY_SANDBOX_ENGINE: "/nowhere/podman" }).probe();
    expect({ works, reason }).toEqual({
      works: false,
      reason: expect.stringMatching(/^\/nowhere\/podman can't be run.*install podman/) as string,
    });
  });

  test.each([
    ["newuidmap", 'command required for rootless mode with multiple IDs: exec: "newuidmap": not found', /: install uidmap:/u],
    [
      "numbers for its users",
      "keep-id requires additional UIDs or GIDs defined in /etc/subuid and /etc/subgid",
      /: as root: `usermod/u,
    ],
  ])("%s, where podman is there", async (_, complaint, remedy) => {
    await withRoot(async (root) => {
      const engine = join(root, "..", "podman");
      await writeFile(engine, `#!/bin/sh\necho 'Error: ${complaint}' >&2\nexit 125\n`);
      await chmod(engine, 0o755);
      const { works, reason } = await withEnv({ FERRY_SANDBOX_ENGINE: engine }).probe();
      expect({ works, reason }).toEqual({ works: false, reason: expect.stringMatching(remedy) as string });
      expect(reason).toContain(complaint);
    });
  });

  test("an image, which is never fetched", async () => {
    await withRoot(async (root) => {
      const engine = await fakeDocker(join(root, ".."));
      const probe = (image: string) => withEnv({ FERRY_SANDBOX_ENGINE: engine, FERRY_SANDBOX_IMAGE: image }).probe();
      expect(await probe("debian:12")).toMatchObject({
        works: false,
        reason: `the image debian:12 isn't here: \`${engine} pull debian:12\``,
      });
      expect((await probe("--privileged")).reason).toContain("is no name of an image");
      const elsewhere = await withEnv({ FERRY_SANDBOX_ENGINE: engine }, "darwin").probe();
      expect(elsewhere.reason).toBe(
        `the image docker.io/library/node:20-bookworm isn't here: \`${engine} pull docker.io/library/node:20-bookworm\``,
      );
    });
  });

  test("a way for a model gateway into a virtual machine", async () => {
    await withRoot(async (root) => {
      const engine = await fakeDocker(join(root, ".."));
      const driver = withEnv({ FERRY_SANDBOX_ENGINE: engine, FERRY_SANDBOX_IMAGE: "localhost/ferry-empty:1" }, "darwin");
      const spec = specIn(root, { sockets: [{ source: "/tmp", target: "/run/ferry" }] });
      await expect(driver.create(spec)).rejects.toThrow(/virtual machine/);
    });
  });
});

const { works, reason } = await oci(machine).probe();

describe.skipIf(!works)(`with an engine (${reason})`, () => {
  test("a path that the engine would misread is refused", async () => {
    await withRoot(async (root) => {
      await expect(oci(machine).create(specIn(join(root, "a,b")))).rejects.toThrow(/has a comma/);
    });
  });

  test("an image without what agents need is found out", async () => {
    const probe = await withEnv({ FERRY_SANDBOX_IMAGE: "localhost/ferry-empty:1" }).probe();
    expect(probe.works).toBe(false);
  });

  test("what the engine's options ask for is weighed by looking", async () => {
    const probe = await withEnv({ FERRY_SANDBOX_OPTIONS: "--pids-limit 7777 --cpus 2" }).probe();
    expect(probe).toMatchObject({ works: true, unenforced: ["processes", "cpu"] });
    const { reason } = await withEnv({ FERRY_SANDBOX_OPTIONS: "--read-only=false --cap-add=SYS_ADMIN" }).probe();
    expect(reason).toBe("the sandbox has a hole: capabilities can be had inside, the root can be written");
  });

  test("a service with another driver ends the containers that an earlier one left", async () => {
    await withRoot(async (root) => {
      const spec = specIn(root);
      const sandbox = await oci(machine).create(spec);
      const agent = await sandbox.spawn(["sh", "-c", "setsid sleep 1000 & echo ready; sleep 1000"]);
      await firstLine(agent.stdout);
      const { swept } = await bwrap(machine).sweep(root, new Set());
      // A container may go by itself, as soon as its engine's own process is ended.
      expect(swept.map(({ what }) => what)).toEqual(expect.arrayContaining(["process", "folder"]));
      expect((await agent.exit).code).not.toBe(0);
      expect(findMembers({ roots: [], labelled: root })).toEqual([]);
      await sandbox.destroy();
    });
  });

  test("a second service's sandboxes are no business of a sweep", async () => {
    await withRoot(async (root) => {
      const sandbox = await oci(machine).create(specIn(root, { limits: { ...roomy, processes: 20 } }));
      const agent = await sandbox.spawn(["sh", "-c", "echo ready; read -r line; echo $line"]);
      await firstLine(agent.stdout);
      await withRoot((other) => oci(machine).sweep(other, new Set()));
      agent.stdin.write("still here\n");
      expect(await firstLine(agent.stdout)).toBe("still here\n");
      await sandbox.destroy();
    });
  });
});
