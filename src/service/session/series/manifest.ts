import { createHash, type Hash } from "node:crypto";
import type { Git } from "../../../git/git.ts";
import type { Manifest, ManifestItem } from "../../../wire/patches.ts";
import type { Session } from "../../../wire/resources.ts";
import { Problem } from "../../problem.ts";
import type { SessionsDeps } from "../deps.ts";
import { layout, own } from "../repository/layout.ts";
import { type CommitObject, fitting, readCommits } from "./commits.ts";
import { diffOptions, mailLine, mails } from "./mail.ts";
import { gitOutput, sections } from "./output.ts";
import { countCommits, type Deps, listCommits, type Range, resolveRange, whyNotMailable } from "./range.ts";

/** Items of a page at most, and bytes of their commit objects. */
const page = { items: 500, bytes: 8 * 1024 * 1024 };

/** What a range of the series holds, and what of the sandbox's commits isn't in any. @throws Problem as its parts do */
export async function manifest(
  deps: Deps & Pick<SessionsDeps, "host">,
  session: Session,
  asked: { after: string; until: string; cursor: string },
): Promise<Manifest> {
  const [series, left] = await Promise.all([
    readRange(deps, session, asked),
    deps.host.files.readText(layout.left(deps.data, session.id)),
  ]);
  return left === undefined ? series : { ...series, left_behind: left };
}

/**
 * What a range of the series holds, commit by commit. A cursor is `<until>.<number of items before>`: later pages are of the same
 * range, also where the series grew meanwhile.
 * @throws Problem 400 for a cursor that isn't one, 409 `history_rewritten` where the range is no part of the series
 */
async function readRange(
  deps: Deps,
  session: Session,
  asked: { after: string; until: string; cursor: string },
): Promise<Manifest> {
  const { git } = deps;
  const { until, skip } = parseCursor(asked);
  const range = await resolveRange(deps, session, { after: asked.after, until });
  if (range.after === range.until && range.until !== "") return emptyManifest(range, session);
  const reason = await whyNotMailable(git, range);
  const commits = await listCommits(git, range);
  const wanted = await fitting(git, range.gitDir, commits.slice(skip, skip + page.items), page.bytes);
  const before = commits[skip - 1] ?? range.after;
  const part: Range = { ...range, after: before, until: wanted.at(-1) ?? before };
  const counted = await countCommits(git, range.gitDir, range.after, range.base);
  const more = skip + wanted.length < commits.length;
  return {
    repository_id: session.repository_id ?? "",
    object_format: (await git.ok(["rev-parse", "--show-object-format"], own(range.gitDir))).toString("utf8").trim(),
    base_commit: range.base,
    head_commit: range.until,
    mailable: reason === "",
    reason,
    items: await describe(deps, part, wanted, { first: counted + skip + 1, mailable: reason === "", more }),
    next_cursor: more ? `${range.until}.${skip + wanted.length}` : "",
  };
}

/** What most questions come to: nothing new. No git is needed for it. */
function emptyManifest({ base, until }: Range, session: Session): Manifest {
  return {
    repository_id: session.repository_id ?? "",
    object_format: until.length === 40 ? "sha1" : "sha256",
    base_commit: base,
    head_commit: until,
    mailable: true,
    reason: "",
    items: [],
    next_cursor: "",
  };
}

function parseCursor({ until, cursor }: { until: string; cursor: string }): { until: string; skip: number } {
  if (cursor === "") return { until, skip: 0 };
  const [, pinned, skip] = /^([0-9a-f]+)\.(\d{1,9})$/u.exec(cursor) ?? [];
  if (pinned === undefined || (until !== "" && until !== pinned))
    throw new Problem(400, "invalid_cursor", "cursor: it is not one of this range");
  return { until: pinned, skip: Number(skip) };
}

interface About {
  /** The sequence number of the first. */
  readonly first: number;
  readonly mailable: boolean;
  /** Whether more of the range follows. */
  readonly more: boolean;
}

async function describe(deps: Deps, range: Range, commits: readonly string[], about: About): Promise<ManifestItem[]> {
  if (commits.length === 0) return [];
  const objects = await readCommits(deps.git, range.gitDir, commits);
  const diffs = await readDiffs(deps.git, range.gitDir, commits);
  const sent = about.mailable ? await measureMails(deps, range, commits, about.more) : undefined;
  return objects.map((object, at) => item(object, about.first + at, diffs[at], sent?.[at]));
}

function item(object: CommitObject, sequence: number, diff: Diff | undefined, mail: Mail | undefined): ManifestItem {
  const bytes = mail?.bytes ?? 0;
  const length = diff?.bytes ?? 0;
  return {
    sequence,
    ...object,
    changes: diff?.changes ?? [],
    bytes,
    sha256: mail?.sha256 ?? "",
    diff_offset: length === 0 || mail === undefined ? bytes : bytes - mail.separator - length,
  };
}

interface Diff {
  readonly changes: string[];
  readonly bytes: number;
}

/** Raw records and the length of the diff of each commit: of a merge, against its first parent. */
async function readDiffs(git: Git, gitDir: string, commits: readonly string[]): Promise<Diff[]> {
  const args = [
    "diff-tree",
    "--stdin",
    "-r",
    "--root",
    "--always",
    "--raw",
    "--no-abbrev",
    "--diff-merges=first-parent",
    ...diffOptions,
  ];
  const output = gitOutput(git, args, own(gitDir), commits.map((commit) => `${commit}\n`).join(""));
  const found = commits.map(() => ({ head: "", bytes: 0, inDiff: false }));
  for await (const { section, bytes } of sections(output, commits)) {
    const diff = found[section];
    if (diff === undefined) continue;
    if (diff.inDiff) {
      diff.bytes += bytes.length;
      continue;
    }
    // Names are quoted, so all before the empty line is ASCII, and only what comes behind it may be anything.
    const text = diff.head + bytes.toString("latin1");
    const end = text.indexOf("\n\n");
    diff.inDiff = end !== -1;
    diff.head = end === -1 ? text : text.slice(0, end);
    diff.bytes = end === -1 ? 0 : text.length - end - 2;
  }
  return found.map(({ head, bytes }) => ({ changes: head.split("\n").filter((line) => line.startsWith(":")), bytes }));
}

interface Mail {
  readonly bytes: number;
  readonly sha256: string;
  /** Bytes of the empty line that sets it off from the next. */
  readonly separator: number;
}

/** Length and digest of each mail as it is in the mbox of the whole range: behind each but the last there is an empty line. */
async function measureMails(deps: Deps, range: Range, commits: readonly string[], more: boolean): Promise<Mail[]> {
  const found: { bytes: number; hash: Hash }[] = commits.map(() => ({ bytes: 0, hash: createHash("sha256") }));
  const add = (at: number, bytes: Buffer) => {
    const mail = found[at];
    if (mail === undefined) return;
    mail.bytes += bytes.length;
    mail.hash.update(bytes);
  };
  for await (const { section, bytes } of sections(mails(deps, range), commits.map(mailLine))) add(section, bytes);
  if (more) add(commits.length - 1, Buffer.from("\n"));
  return found.map(({ bytes, hash }, at) => ({
    bytes,
    sha256: hash.digest("hex"),
    separator: more || at < commits.length - 1 ? 1 : 0,
  }));
}
