import { release } from "node:os";
import type { SandboxLimits } from "../driver.ts";
import { unpack } from "../environment.ts";
import { label } from "../processes/members.ts";
import type { Inside } from "../recipe.ts";

/**
 * The first process of a namespace: takes its environment, and waits for the command and for what others leave behind. It isn't the
 * command itself, since a first process doesn't hear signals that it has no handler for. The subshell keeps the shell's own words
 * (`exit`, `kill`) from standing in for programs. `forget` are variables of the way in, besides ours; `after` is run before it ends,
 * a command with its semicolon.
 */
export function initWords({ argv, cwd }: Inside, forget: readonly string[] = [], after = ""): string[] {
  const init = `cd -- "$1" || exit 126; shift; ${unpack([label, "LC_ALL", "OLDPWD", ...forget])}; (exec "$@"); code=$?; ${after} exit $code`;
  return ["sh", "-c", init, "init", cwd, ...argv];
}

/**
 * The words that run `inside` within namespaces, under the resource limits that hold between two looks of the watch: no file over the
 * disk's limit, no core file, and the number of threads where it is counted for the sandbox alone.
 */
export function firstProcess(inside: Inside, limits: SandboxLimits, countsAlone: boolean): string[] {
  const nproc = countsAlone ? [`--nproc=${limits.processes}`] : [];
  const bounds = ["prlimit", ...nproc, `--fsize=${limits.diskMB * 1024 * 1024}`, "--core=0", "--"];
  return [...bounds, ...initWords(inside)];
}

/**
 * Whether RLIMIT_NPROC counts the threads of one sandbox: since Linux 5.14 in a user namespace of its own (ucounts). Before, it counts
 * all of a user's, and would refuse those for what the rest of a desktop runs.
 */
export function countsThreadsAlone(ownUser: boolean, version = release()): boolean {
  const [major = 0, minor = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  return ownUser || major > 5 || (major === 5 && minor >= 14);
}
