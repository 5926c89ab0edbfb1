import { FerryError } from "../base/errors.ts";
import { count } from "../base/text.ts";
import { type Head, readHead } from "../git/discover.ts";
import type { Manifest } from "../wire/patches.ts";
import type { Context } from "./context.ts";
import { type FerryRefs, ferryRefs } from "./names.ts";
import { dropFirst, lie, readSeries, type Series, short } from "./series/series.ts";

/** What there is to bring to this branch. */
export interface Incoming {
  readonly head: Head;
  readonly refs: FerryRefs;
  /** Where the two refs are now. */
  readonly remote: string | undefined;
  readonly cursor: string | undefined;
  /** The commits that are neither behind the cursor nor in the branch. */
  readonly series: Series;
  /** How many of the session's commits the branch had, though the cursor didn't know. */
  readonly present: number;
  /** How the branch can take them: as they are on top of HEAD, or not without being rebuilt. */
  readonly fit: "on-top" | "moved";
}

/** @throws FerryError attention where the sandbox rewrote what was brought before, failure for a manifest that doesn't hold */
export async function findIncoming(context: Context): Promise<Incoming> {
  const { git, repository, request } = context;
  const head = await readHead(git, repository);
  const refs = ferryRefs(request, repository, head);
  const { remote, cursor: at } = await readRefs(context, refs);
  // The branch that it tells of is gone, or was never there.
  const cursor = head.state === "unborn" ? undefined : at;
  const manifest = await readManifest(context, cursor ?? "");
  const whole = readSeries(manifest, repository.objectFormat);
  const start = cursor ?? manifest.base_commit;
  if (whole.items.length > 0 && (whole.base ?? "") !== start)
    throw lie(`it begins at ${short(whole.base ?? "nothing")}, not at ${short(start)}`);
  if (whole.items.length === 0 && whole.tip !== start) throw lie(`no commits up to ${short(whole.tip)}`);
  const present = await countPresent(whole, head, context);
  const series = dropFirst(whole, present);
  const commit = head.state === "unborn" ? undefined : head.commit;
  const fit = series.items.length === 0 || series.base === commit ? "on-top" : "moved";
  return { head, refs, remote, cursor: at, series, present, fit };
}

async function readRefs(
  { git, repository }: Context,
  refs: FerryRefs,
): Promise<{ remote: string | undefined; cursor: string | undefined }> {
  const { gitDir } = repository;
  const listing = await git.ok(["for-each-ref", "--format=%(objectname) %(refname)", refs.remote, refs.cursor], {
    cwd: gitDir,
    gitDir,
  });
  const found = new Map(
    listing
      .toString("latin1")
      .split("\n")
      .map((line) => [line.slice(line.indexOf(" ") + 1), line.slice(0, line.indexOf(" "))]),
  );
  return { remote: found.get(refs.remote), cursor: found.get(refs.cursor) };
}

/** How many of the commits the branch has already, because it was made from one that they were brought to, or they were fetched. */
async function countPresent(series: Series, head: Head, { git, repository }: Context): Promise<number> {
  if (head.state === "unborn") return 0;
  const at = series.items.findIndex((item) => item.commit === head.commit);
  if (at >= 0) return at + 1;
  if (series.items.length === 0 || series.base === head.commit) return 0;
  const { gitDir } = repository;
  const within = await git.run(["merge-base", "--is-ancestor", series.tip, head.commit], { cwd: gitDir, gitDir });
  return within.code === 0 ? series.items.length : 0;
}

async function readManifest({ request }: Context, after: string): Promise<Manifest> {
  try {
    return await request.source.manifest(after);
  } catch (error) {
    throw error instanceof FerryError && error.code === "history_rewritten" ? rewritten(after, error) : error;
  }
}

function rewritten(cursor: string, cause: unknown): FerryError {
  return new FerryError(
    "attention",
    `the session rewrote its history: ${short(cursor)}, which came here before, is no longer in it`,
    {
      code: "history_rewritten",
      hint: "look at both with ferry diff, then bring the new one to a branch of its own",
      cause,
    },
  );
}

/** HEAD isn't where the series begins: said with both commits. */
export function movedError({ head, series }: Incoming): FerryError {
  const here = head.state === "unborn" ? "this branch has no commit yet" : `HEAD is at ${short(head.commit)}`;
  const there = series.base === undefined ? "begin a history of their own" : `follow ${short(series.base)}`;
  return new FerryError("attention", `${here}, but the session's ${count(series.items.length, "new commit")} ${there}`, {
    code: "moved",
    hint:
      series.base === undefined
        ? "pull on an unborn branch (git switch --orphan NAME)"
        : `pull on a branch there: git switch -c NAME ${short(series.base)}`,
  });
}
