import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type Binary, makeBinary } from "../support/binary.ts";
import { commitFiles, makeRepository } from "../support/git.ts";

const readme = readFileSync(fileURLToPath(new URL("../../README.md", import.meta.url)), "utf8");
const blocks = [...readme.matchAll(/^```sh\n(.*?)^```/gmsu)].map(([, text = ""]) => text);

/** What needs a checkout, the network or a person's own shell; its own tests have each. */
const elsewhere = [
  "npm run quickstart",
  "npm install",
  "npm install -g @agentclientprotocol",
  "mkdir -p ~/.local/share/bash-completion",
  "unset FERRY_HOST",
  "ferry service user add",
  "npm cit",
];

let ferry: Binary;
let repository: string;
beforeAll(() => {
  ferry = makeBinary(join(inject("packed").folder, "bin/ferry.js"));
  const git = makeRepository(join(ferry.folder, "your-repository"));
  commitFiles(git, { "README.md": "a project\n" });
  repository = git.folder;
  mkdirSync(join(ferry.folder, "bin"));
  const program = join(ferry.folder, "bin", "ferry");
  writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${join(inject("packed").folder, "bin/ferry.js")} "$@"\n`);
  chmodSync(program, 0o755);
});
afterAll(() => ferry.dispose());

test("the README's examples do what it says, one after the other in one shell", async () => {
  const run = blocks.filter((text) => !elsewhere.some((start) => text.startsWith(start)));
  expect(run).toHaveLength(blocks.length - elsewhere.length);
  expect(run.length).toBeGreaterThanOrEqual(3);
  const { code, stdout, stderr } = await shell(["set -euo pipefail", ...run].join("\n"));
  expect({ code, stderr: code === 0 ? "" : stderr + stdout }).toEqual({ code: 0, stderr: "" });
  expect(readFileSync(join(repository, "hi.txt"), "utf8")).toBe("hi\n");
  expect(readFileSync(join(repository, "done.txt"), "utf8")).toBe("done\n");
}, 120_000);

function shell(script: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = {
    ...ferry.env,
    PATH: `${join(ferry.folder, "bin")}:${ferry.env["PATH"] ?? ""}`,
    GIT_CONFIG_GLOBAL: "/dev/null",
    ...{
      GIT_AUTHOR_NAME: "Ada",
      GIT_AUTHOR_EMAIL: "a@example.com",
      GIT_COMMITTER_NAME: "Ada",
      GIT_COMMITTER_EMAIL: "a@example.com",
    },
  };
  return new Promise((resolve) => {
    execFile("bash", ["-c", script], { env, cwd: ferry.folder }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr }),
    );
  });
}
