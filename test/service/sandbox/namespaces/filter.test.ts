import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { arch, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { filtered, writeFilter } from "../../../../src/service/sandbox/namespaces/filter.ts";
import { processorOf } from "../../../../src/service/sandbox/namespaces/system-calls.ts";

const works = process.platform === "linux" && processorOf(arch()) !== undefined;
const hasPerl = existsSync("/usr/bin/perl");

/** A setpriv of util-linux 2.41 as far as it matters here: it takes nothing but a filter. */
const newSetpriv = `#!/bin/sh
case $1 in
  --help) echo " --seccomp-filter <file>    load seccomp filter from file" ;;
  --seccomp-filter=/*) echo "filter \${1#*=}"; [ "$2" = -- ] || exit 127; shift 2; exec "$@" ;;
  *) exit 127 ;;
esac`;

const oldSetpriv = `#!/bin/sh
[ "$1" = --help ] && echo " --no-new-privs   disallow granting new privileges" || exit 127`;

describe.runIf(works)("the filter of system calls", () => {
  test("is to be read by the agent's user whatever the umask", async () => {
    const { filter } = await makePlace({});
    expect((await stat(filter)).mode & 0o777).toBe(0o644);
  });

  test.runIf(hasPerl)("is put in force by perl", async () => {
    const { run } = await makePlace({ setpriv: newSetpriv }, ["perl"]);
    expect(run("grep", "^Seccomp:", "/proc/self/status")).toEqual({ code: 0, output: "Seccomp:\t2\n" });
  });

  test.runIf(hasPerl)("that the kernel doesn't take is an error, and nothing runs", async () => {
    const { filter, run } = await makePlace({}, ["perl"]);
    await writeFile(filter, "no filter");
    const { code, output } = run("echo", "runs");
    expect(code).not.toBe(0);
    expect(output).toBe("system calls can not be filtered: Invalid argument\n");
  });

  test("is put in force by a setpriv that can, where there is no perl", async () => {
    const { filter, run } = await makePlace({ setpriv: newSetpriv });
    expect(run("echo", "runs", "a b")).toEqual({ code: 0, output: `filter ${filter}\nruns a b\n` });
  });

  test("is left out where there is neither", async () => {
    const { run } = await makePlace({ setpriv: oldSetpriv });
    expect(run("echo", "runs", "a b")).toEqual({ code: 0, output: "runs a b\n" });
  });
});

test("without a filter there are no words", () => {
  expect(filtered(undefined)).toEqual([]);
});

interface Place {
  readonly filter: string;
  /** Runs words behind those that put the filter in force. */
  readonly run: (...argv: string[]) => { code: number | null; output: string };
}

/** A filter, and a PATH of the programs given and no others. */
async function makePlace(programs: Readonly<Record<string, string>>, linked: readonly string[] = []): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), "ferry-filter-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const name of [...linked, "grep", "echo"]) await symlink(`/usr/bin/${name}`, join(folder, name));
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(join(folder, name), text);
    await chmod(join(folder, name), 0o755);
  }
  const filter = (await writeFilter(join(folder, "filter"))) ?? "";
  // Whoever gains no privileges any more may filter, so that the test needs none.
  const unprivileged = ["setpriv", "--no-new-privs", "/usr/bin/env", "-i", `PATH=${folder}`, "LC_ALL=C"];
  const [program = "", ...before] = [...unprivileged, "/bin/sh", ...filtered(filter).slice(1)];
  return {
    filter,
    run: (...argv) => {
      const { status, stdout, stderr } = spawnSync(program, [...before, ...argv], { encoding: "utf8" });
      return { code: status, output: stdout + stderr };
    },
  };
}
