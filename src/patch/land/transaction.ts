import { createInterface, type Interface } from "node:readline";
import { FerryError } from "../../base/errors.ts";
import type { Repository } from "../../git/discover.ts";
import type { Git, GitProcess, GitStreamOptions } from "../../git/git.ts";
import { gitError } from "../../git/runner.ts";

export interface RefUpdate {
  readonly ref: string;
  readonly to: string;
  /** All zeros where the ref must not exist yet. */
  readonly from: string;
}

/** Refs that are locked and verified, and move together or not at all. */
export interface Transaction {
  commit(): Promise<void>;
  /** Unlocks them, unmoved. */
  abort(): Promise<void>;
}

/** Another git holds one of the locks: worth another try. */
export class RefsLocked extends FerryError {}
/** A ref isn't where it was read to be: someone committed meanwhile. */
export class RefsMoved extends FerryError {}

/**
 * Prepares one transaction of `git update-ref --stdin`: from then on nobody else can move these refs.
 * @throws RefsLocked, RefsMoved
 */
export async function prepare(
  git: Git,
  repository: Repository,
  { updates, reason, announce }: { updates: readonly RefUpdate[]; reason: string; announce: GitStreamOptions["announce"] },
): Promise<Transaction> {
  const args = ["update-ref", "-m", reason, "--create-reflog", "--stdin"];
  const options = { cwd: repository.gitDir, gitDir: repository.gitDir, announce };
  const child = await git.stream(args, options);
  const answers = createInterface({ input: child.stdout });
  const lines = answers[Symbol.asyncIterator]();
  const say = async (command: string, word: string) => {
    child.stdin.write(`${command}\n`);
    const answer = await lines.next();
    if (answer.done === true || answer.value !== `${word}: ok`) throw await refTrouble(child, answers);
  };
  await say("start", "start");
  for (const { ref, to, from } of updates) child.stdin.write(`update ${ref} ${to} ${from}\n`);
  await say("prepare", "prepare");
  const end = async (command: string) => {
    await say(command, command);
    child.stdin.end();
    await child.exit;
  };
  return { commit: () => end("commit"), abort: () => end("abort") };
}

async function refTrouble(child: GitProcess, answers: Interface): Promise<FerryError> {
  answers.close();
  child.stdin.end();
  const exit = await child.exit;
  const error = gitError(["update-ref"], exit);
  const said = exit.stderr.toString("utf8");
  if (/unable to create .*\.lock|is locked|lock file/isu.test(said) && /file exists/isu.test(said)) return new RefsLocked("attention", error.message);
  if (/but expected|reference already exists|is missing but expected|unable to resolve reference/u.test(said))
    return new RefsMoved("attention", error.message);
  return error;
}
