import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeGit } from "../../../src/git/runner.ts";
import { systemFiles } from "../../../src/host/files.ts";
import { makeProcesses } from "../../../src/host/processes.ts";
import type { SessionsDeps } from "../../../src/service/session/deps.ts";
import { tidy } from "../../../src/service/session/repository/tidy.ts";
import { gitBytes, gitIn, makeFolder } from "../../support/git.ts";

test("many packs become one, and all that a ref reaches stays", async () => {
  const folder = makeFolder();
  gitBytes(folder.path, ["init", "--quiet", "--bare", "--initial-branch=main"]);
  const repo = gitIn(folder.path);
  const packs = () => readdirSync(join(folder.path, "objects/pack")).filter((name) => name.endsWith(".pack"));
  for (let at = 0; at < 65; at++) {
    const from = at === 0 ? "" : "from refs/heads/main^0\n";
    const input = `commit refs/heads/main\ncommitter A <a@b> ${1_700_000_000 + at} +0000\ndata 1\n${at % 10}${from}M 100644 inline f\ndata 2\n${at % 10}\n`;
    gitBytes(folder.path, ["-c", "fastimport.unpackLimit=0", "fast-import", "--quiet"], { input });
  }
  expect(packs().length).toBe(65);
  const before = repo("log", "--format=%H %T");
  const git = makeGit({ env: process.env, platform: process.platform, processes: makeProcesses(process.env, process.platform) });
  const deps = { git, host: { files: systemFiles } as SessionsDeps["host"] };
  await tidy(deps, folder.path);
  expect(packs()).toHaveLength(1);
  expect(repo("log", "--format=%H %T")).toBe(before);
  repo("fsck", "--strict");
  folder.remove();
});
