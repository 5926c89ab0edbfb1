import { FerryError } from "../../base/errors.ts";
import { pathBytes } from "../../git/path.ts";
import { modes } from "../../git/records.ts";
import type { Preview } from "./preview.ts";

/** One file that a pull would change, for scripts. */
export interface PreviewFile {
  /** UTF-8; bytes that are none are replaced. */
  readonly path: string;
  /** Where it was before, if it moves. */
  readonly old_path: string | null;
  readonly status: "added" | "deleted" | "modified" | "renamed" | "type_changed";
  /** Lines; null for what isn't text. */
  readonly additions: number | null;
  readonly deletions: number | null;
  readonly old_mode: string | null;
  readonly new_mode: string | null;
}

const statuses: Readonly<Record<string, PreviewFile["status"]>> = {
  A: "added",
  D: "deleted",
  M: "modified",
  R: "renamed",
  T: "type_changed",
};

/** The files that a pull would change, renames found as `git diff` finds them. */
export async function previewFiles({ diff }: Preview): Promise<PreviewFile[]> {
  const records = await fieldsOf(diff(["-M", "-z", "--raw", "--no-abbrev"]));
  const counts = countsOf(await fieldsOf(diff(["-M", "-z", "--numstat"])));
  const files: PreviewFile[] = [];
  for (let at = 0; at < records.length;) {
    const [oldMode = "", newMode = "", , , status = ""] = (records[at] ?? "").slice(1).split(" ");
    const kind = statuses[status.charAt(0)];
    if (kind === undefined) throw new FerryError("failure", "git's raw diff can't be read");
    const old = kind === "renamed" ? records[at + 1] : undefined;
    const path = records[at + (old === undefined ? 1 : 2)] ?? "";
    at += old === undefined ? 2 : 3;
    files.push({
      path: text(path),
      old_path: old === undefined ? null : text(old),
      status: kind,
      additions: counts.get(path)?.[0] ?? null,
      deletions: counts.get(path)?.[1] ?? null,
      old_mode: oldMode === modes.absent ? null : oldMode,
      new_mode: newMode === modes.absent ? null : newMode,
    });
  }
  return files;
}

/** git-diff-tree(1), --numstat -z: `added TAB deleted TAB path NUL`, for a rename `added TAB deleted TAB NUL old NUL new NUL`. */
function countsOf(records: readonly string[]): Map<string, [number | null, number | null]> {
  const counts = new Map<string, [number | null, number | null]>();
  for (let at = 0; at < records.length; at++) {
    const [added = "", deleted = "", ...rest] = (records[at] ?? "").split("\t");
    const name = rest.join("\t");
    const path = name === "" ? (records[(at += 2)] ?? "") : name;
    counts.set(path, [lines(added), lines(deleted)]);
  }
  return counts;
}

function lines(number: string): number | null {
  return number === "-" ? null : Number(number);
}

async function fieldsOf(stream: AsyncIterable<Uint8Array>): Promise<string[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString("latin1").split("\0").slice(0, -1);
}

function text(path: string): string {
  return pathBytes(path).toString("utf8");
}
