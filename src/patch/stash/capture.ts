import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { GitOptions } from "../../git/git.ts";
import type { GitPath } from "../../git/path.ts";
import { pathBytes } from "../../git/path.ts";
import { type Change, modes } from "../../git/records.ts";
import { refuseKilled } from "../../git/runner.ts";
import type { Context } from "../context.ts";
import { type Entry, indexInfo, withIndex } from "../land/compare.ts";
import { look, onDisk } from "../land/disk.ts";
import { type IndexEntry, readIndex } from "../land/index-entries.ts";
import { type PathCheck, stashable } from "../land/path-check.ts";
import type { Quarantine } from "../quarantine.ts";
import { treeWith } from "../uncommitted/trees.ts";
import { type Unstashable, whyNot } from "./unstashable.ts";

/** Local changes of tracked files, as trees in the quarantine: HEAD's with what index and working tree have at those paths. */
export interface Captured {
  readonly index: string;
  readonly tree: string;
}

/** What is in the way of a landing that begins at `head`. */
export interface InTheWay {
  readonly head: string;
  readonly changes: readonly Change[];
  readonly blocked: PathCheck["blocked"];
  readonly quarantine: Quarantine;
}

/**
 * Reads the changes that are in the way, and nothing else. What git would not give back byte for byte (untracked, out of its sight,
 * no file at all, filters that lose bytes or fail) is given back as that, and then nothing may be taken out of the tree. Writes nothing
 * of the user's.
 */
export async function capture(way: InTheWay, context: Context): Promise<Captured | readonly Unstashable[]> {
  const { git, repository } = context;
  const { quarantine, head } = way;
  const paths = new Set(way.blocked.map(({ path }) => path));
  const changes = way.changes.filter(({ path }) => paths.has(path));
  const copy = { git, repository, scratch: quarantine.folder };
  const staged = await readIndex(copy, new Map(changes.map((change) => [change.path, change])));
  const announced = await intentToAdd(context);
  const refused: Unstashable[] = [];
  for (const { path, why } of way.blocked) {
    const change = changes.find((each) => each.path === path);
    const reason =
      change === undefined || !stashable.has(why) ? why : await judge(change, { entry: staged.get(path), announced, context });
    if (reason !== undefined) refused.push({ path, why: reason });
  }
  if (refused.length > 0) return refused;
  const indexed = changes.map(({ path }) => asEntry(path, staged.get(path), head));
  const written = await writtenEntries(indexed, { quarantine, context });
  const altered: Unstashable[] = [];
  for (const entry of written) if (!(await givesBack(entry, { quarantine, context }))) altered.push(whyNot.altered(entry.path));
  if (altered.length > 0) return altered;
  const trees = { git, quarantine };
  return { index: await treeWith(head, indexed, trees), tree: await treeWith(head, written, trees) };
}

async function judge(
  { path, oldMode, newMode }: Change,
  { entry, announced, context }: { entry: IndexEntry | undefined; announced: ReadonlySet<GitPath>; context: Context },
): Promise<string | undefined> {
  if ([oldMode, newMode, entry?.mode].includes(modes.gitlink)) return whyNot.submodule;
  if (entry?.unwatched === true) return whyNot.unwatched;
  if (announced.has(path)) return whyNot.announced;
  const { what } = await look(context.repository.workTree, path);
  return what === "nothing" || what === "file" || what === "link" ? undefined : whyNot.what[what];
}

/** Paths of `git add -N`: the index lists them, and has no content for them. */
async function intentToAdd({ git, repository: { gitDir, workTree } }: Context): Promise<Set<GitPath>> {
  const options = { cwd: workTree, gitDir, workTree };
  const added = async (flag: string) =>
    (await git.ok(["diff-index", "--cached", "-z", "--name-only", "--no-ext-diff", "--no-renames", flag, "HEAD"], options))
      .toString("latin1")
      .split("\0");
  const real = new Set(await added("--ita-invisible-in-index"));
  return new Set((await added("--ita-visible-in-index")).filter((path) => !real.has(path)));
}

function asEntry(path: GitPath, entry: IndexEntry | undefined, head: string): Entry {
  return { path, mode: entry?.mode ?? modes.absent, id: entry?.id ?? "0".repeat(head.length) };
}

interface Place {
  readonly quarantine: Quarantine;
  readonly context: Context;
}

/** The user's working tree and configuration, but objects go to the quarantine. */
function readingOptions({ quarantine, context }: Place): GitOptions & { readonly env: object } {
  const options = withIndex(context.repository, join(quarantine.folder, "stash-index"));
  return { ...options, env: { ...options.env, GIT_OBJECT_DIRECTORY: join(quarantine.gitDir, "objects") } };
}

/** Git's own view of what lies there, filters applied, by an index that trusts no times. */
async function writtenEntries(indexed: readonly Entry[], place: Place): Promise<Entry[]> {
  const { git } = place.context;
  const options = readingOptions(place);
  const none = "0".repeat(indexed[0]?.id.length ?? 0);
  await git.ok(["update-index", "-z", "--index-info"], { ...options, input: indexInfo(indexed) });
  const input = pathBytes(indexed.map(({ path }) => `${path}\0`).join(""));
  await git.ok(["update-index", "--add", "--remove", "-z", "--stdin"], { ...options, input });
  const listing = (await git.ok(["ls-files", "-z", "--stage"], options)).toString("latin1").split("\0").filter(Boolean);
  await rm(join(place.quarantine.folder, "stash-index"), { force: true });
  const found = new Map(
    listing.map((line): [GitPath, Entry] => {
      const path = line.slice(line.indexOf("\t") + 1);
      const [mode = "", id = ""] = line.split(" ");
      return [path, { path, mode, id }];
    }),
  );
  return indexed.map(({ path }) => found.get(path) ?? { path, mode: modes.absent, id: none });
}

/** Whether checking the entry out writes the very bytes that lie there. */
async function givesBack({ path, mode, id }: Entry, place: Place): Promise<boolean> {
  if (mode !== modes.file && mode !== modes.executable) return true;
  const { git, repository } = place.context;
  const args = ["cat-file", "--filters", `--path=${pathBytes(path).toString("utf8")}`, id];
  const child = await git.stream(args, readingOptions(place));
  child.stdin.end();
  const [wouldBe, is] = await Promise.all([hashOf(child.stdout), hashOf(createReadStream(onDisk(repository.workTree, path)))]);
  const exit = await child.exit;
  refuseKilled(args, exit);
  return exit.code === 0 && wouldBe === is;
}

async function hashOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of stream) hash.update(chunk);
  return hash.digest("hex");
}
