import type { Head } from "../../git/discover.ts";
import type { Context } from "../context.ts";
import type { HereNote } from "./note.ts";

/** More lines of a reflog than this aren't read. */
const reflogLimit = 5000;

/**
 * Whether the commit that a pull stopped at has come since, by the user's own git cherry-pick --continue (or git commit). Seen in the
 * branch's reflog, where a commit that ends a cherry-pick says so and which outlives amends, rebases and squashes; or else in its
 * history, by author, date and subject. Without such evidence it hasn't come: git tells --skip and --abort apart no more than we do,
 * and a commit that is tried twice is better than one that is lost.
 */
export async function hasCome(note: HereNote, head: Head, context: Context): Promise<boolean> {
  if (head.state === "unborn" || head.commit === note.tip) return (await endedPick(note, head, context)) !== undefined;
  if ((await endedPick(note, head, context)) !== undefined) return true;
  const { git, repository } = context;
  const options = { cwd: repository.gitDir, gitDir: repository.gitDir };
  const [wanted] = await describe([note.commit, "--"], context);
  const since = await git.run(["rev-list", "--max-count=1", head.commit, `^${note.tip}`], options);
  if (wanted === undefined || since.code !== 0) return false;
  const all = await describe([head.commit, `^${note.tip}`, "--"], context, false);
  return all.some(({ author, subject }) => author === wanted.author && subject === wanted.subject);
}

/** The commit that ended the cherry-pick on top of where it stood, as git wrote it down. */
async function endedPick(note: HereNote, head: Head, context: Context): Promise<string | undefined> {
  const { git, repository } = context;
  const ref = head.state === "detached" ? "HEAD" : head.ref;
  const args = ["log", "-g", "-z", `--max-count=${reflogLimit}`, "--format=%H %gs", ref, "--"];
  const result = await git.run(args, { cwd: repository.gitDir, gitDir: repository.gitDir });
  if (result.code !== 0) return undefined;
  const entries = result.stdout
    .toString("utf8")
    .split("\0")
    .map((line) => ({ commit: line.split(" ")[0] ?? "", told: line.slice(line.indexOf(" ") + 1) }));
  const ends = entries.filter(
    ({ told }, at) => /^(commit \(cherry-pick\)|cherry-pick):/u.test(told) && entries[at + 1]?.commit === note.tip,
  );
  const [wanted] = await describe([note.commit, "--"], context);
  for (const { commit } of ends) if ((await describe([commit, "--"], context))[0]?.author === wanted?.author) return commit;
  return undefined;
}

interface Described {
  readonly author: string;
  readonly subject: string;
}

async function describe(what: readonly string[], { git, repository }: Context, alone = true): Promise<Described[]> {
  const args = [
    "log",
    "-z",
    ...(alone ? ["--no-walk"] : []),
    "--no-mailmap",
    "--date=raw",
    "--format=%an <%ae> %ad%n%s",
    ...what,
  ];
  const result = await git.run(args, { cwd: repository.gitDir, gitDir: repository.gitDir });
  if (result.code !== 0) return [];
  const records = result.stdout
    .toString("utf8")
    .split("\0")
    .filter((record) => record !== "");
  return records.map((record) => {
    const end = record.indexOf("\n");
    return { author: record.slice(0, end), subject: record.slice(end + 1).trim() };
  });
}
