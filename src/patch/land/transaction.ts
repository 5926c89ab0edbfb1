import { createInterface } from "node:readline";
import { FerryError } from "../../base/errors.ts";
import { lockIn } from "../../git/locked.ts";
import type { Repository } from "../../git/discover.ts";
import type { Git, GitChild, GitProcess } from "../../git/git.ts";
import { gitError } from "../../git/runner.ts";
import { systemTrouble } from "../../git/trouble.ts";
import type { ChildNotes } from "./working-copy.ts";

export interface RefUpdate {
  readonly ref: string;
  /** All zeros to take the ref away. */
  readonly to: string;
  /** All zeros where the ref must not exist yet. */
  readonly from: string;
}

/** Undefined for a ref that isn't there, before or after. */
export function moveRef(ref: string, from: string | undefined, to: string | undefined): RefUpdate {
  const zero = "0".repeat((from ?? to ?? "").length);
  return { ref, from: from ?? zero, to: to ?? zero };
}

/** Refs that are locked and verified, and move together or not at all. */
export interface Transaction {
  commit(): Promise<void>;
  /** Unlocks them, unmoved. */
  abort(): Promise<void>;
}

/** Another git holds one of the locks: worth another try. */
export class RefsLocked extends FerryError {}
/** A ref or a file isn't what it was read to be: someone works there meanwhile, and all is looked at anew. */
export class RefsMoved extends FerryError {}

export interface Move {
  readonly updates: readonly RefUpdate[];
  /** For the reflogs. */
  readonly reason: string;
  /** Told of the git that holds the locks. */
  readonly children?: ChildNotes | undefined;
}

/**
 * Prepares one transaction of `git update-ref --stdin`: from then on nobody else can move these refs.
 * @throws RefsLocked, RefsMoved
 */
export async function prepare(git: Git, { gitDir }: Repository, { updates, reason, children }: Move): Promise<Transaction> {
  const args = ["update-ref", "-m", reason, "--create-reflog", "--stdin"];
  let noted: GitChild | undefined;
  const announce = async (starting: GitChild) => {
    noted = starting;
    await children?.starting(starting);
  };
  const child = await git.stream(args, { cwd: gitDir, gitDir, announce });
  const answers = createInterface({ input: child.stdout });
  const lines = answers[Symbol.asyncIterator]();
  const ended = async () => {
    answers.close();
    child.stdin.end();
    const exit = await child.exit;
    if (noted !== undefined && exit.code <= 128) await children?.ended(noted);
    return exit;
  };
  const say = async (command: string, word: string) => {
    child.stdin.write(`${command}\n`);
    const answer = await lines.next();
    if (answer.done === true || answer.value !== `${word}: ok`) throw refError(await ended());
  };
  await say("start", "start");
  // One that stays where it is must be there all the same, and nobody may move it meanwhile.
  for (const { ref, to, from } of updates) {
    // HEAD stands for its branch. Another ref was read as itself: where it stands for one by now, that is not to move.
    if (ref !== "HEAD") child.stdin.write("option no-deref\n");
    child.stdin.write(to === from ? `verify ${ref} ${from}\n` : `update ${ref} ${to} ${from}\n`);
  }
  await say("prepare", "prepare");
  const end = async (command: string) => {
    await say(command, command);
    await ended();
  };
  return { commit: () => end("commit"), abort: () => end("abort") };
}

function refError(exit: Awaited<GitProcess["exit"]>): FerryError {
  const error = gitError(["update-ref"], exit);
  const said = exit.stderr.toString("utf8");
  const lock = lockIn(exit);
  if (lock !== undefined) return new RefsLocked("attention", `${lock} exists`);
  if (/but expected|reference already exists|is missing but expected|unable to resolve reference/u.test(said))
    return new RefsMoved("attention", "HEAD was moved meanwhile", { cause: error });
  return systemTrouble(["update-ref"], exit) ?? error;
}
