import { FerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import type { ExecOptions, ExecResult, Sandbox } from "../../sandbox/driver.ts";
import { blockedBy, guarded } from "./guard.ts";

/**
 * The workspace's configuration is the agent's, and may be broken or hostile: what could run other programs, ask or rewrite is
 * overruled. All of it happens inside of the sandbox all the same.
 */
const overruled: Readonly<Record<string, string>> = {
  "safe.directory": "*",
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "core.quotePath": "true",
  // Whatever they name, a pipe for one, would be read for each file; what the repository ignores is in itself.
  "core.excludesFile": "/dev/null",
  "core.attributesFile": "/dev/null",
  "gc.auto": "0",
  "maintenance.auto": "false",
  "commit.gpgSign": "false",
  "i18n.commitEncoding": "UTF-8",
};

const environment: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
  LC_ALL: "C",
  ...configEnvironment(overruled),
};

/** Configuration as git takes it from the environment, above all files (git-config(1), GIT_CONFIG_COUNT). */
function configEnvironment(config: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(config).flatMap(([name, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, name] as const,
    [`GIT_CONFIG_VALUE_${at}`, value] as const,
  ]);
  return { GIT_CONFIG_COUNT: String(entries.length / 2), ...Object.fromEntries(entries) };
}

/** Every git of a sandbox: author and committer of what the agent commits, unless it says otherwise; and the workspace is another user's. */
export function gitEnvironment(agent: string): Record<string, string> {
  const email = `${agent}@ferry.local`;
  return {
    ...{ GIT_AUTHOR_NAME: agent, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: agent, GIT_COMMITTER_EMAIL: email },
    ...configEnvironment({ "safe.directory": "*" }),
  };
}

/**
 * Runs a shell script that uses git in the workspace, and gives what it printed; `args` are its `$1`, `$2` …
 * @throws FerryError failure with the script's last line on stderr, or with what is there for which git would wait for ever
 */
export async function runInside(
  sandbox: Sandbox,
  text: string,
  args: readonly string[],
  options: ExecOptions = {},
): Promise<Buffer> {
  const argv = guarded(["sh", "-c", text, "git", ...args]);
  const result = await sandbox.exec(argv, { cwd: sandbox.workspace, ...options, env: environment });
  const obstacle = result.code === 0 ? undefined : blockedBy(Buffer.from(result.stderr).toString("utf8"));
  if (obstacle !== undefined) throw new FerryError("failure", obstacle);
  if (result.code !== 0) throw new FerryError("failure", `git in the sandbox: ${lastLine(result)}`);
  return Buffer.from(result.stdout);
}

function lastLine({ code, stderr }: ExecResult): string {
  const lines = Buffer.from(stderr).toString("utf8").trimEnd().split("\n");
  // Where the workspace is a file system of its own git adds that it looked no further, which is no reason.
  const line = lines.findLast((text) => !text.startsWith("Stopping at filesystem boundary")) ?? "";
  return line === "" ? `exit status ${code ?? "unknown"}` : oneLine(line);
}
