import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { buildProgram } from "../../support/sandbox-build.ts";
import { outputOf } from "../../support/sandbox-suite.ts";

test.runIf(process.platform === "linux")(
  "where namespaces are forbidden, no sandbox is an error with each reason and the remedy",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "ferry-forbidden-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await chmod(folder, 0o755);
    const program = await buildProgram(folder);
    const forbidding = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"';
    const run = (driver: string): Promise<string> =>
      outputOf({
        argv: [
          "unshare",
          "--user",
          "--map-root-user",
          "sh",
          "-c",
          forbidding,
          "sh",
          ...program,
          driver,
          join(folder, "sandboxes"),
          "id -u",
        ],
      });
    const { kind, message, details, hint } = JSON.parse(await run("auto")) as Record<string, string | string[]>;
    expect({ kind, message }).toEqual({ kind: "failure", message: "no sandbox can be made on this machine" });
    expect(details).toEqual([
      expect.stringMatching(/^bwrap: .+/),
      expect.stringMatching(/^unshare: .+user namespaces are switched off: `sysctl user.max_user_namespaces=/),
      expect.stringMatching(/^oci: .+/),
    ]);
    expect(hint).toContain("--sandbox process");
    expect(await run("process")).toBe("0\n");
  },
);
