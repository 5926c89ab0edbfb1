import { FerryError } from "../base/errors.ts";
import type { GitPath } from "./path.ts";

/** What became of one path between two trees, as `--raw` tells it (git-diff-tree(1)). A side that isn't there has mode 000000. */
export interface Change {
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldId: string;
  readonly newId: string;
  readonly status: string;
  readonly path: GitPath;
}

/** The kinds of entries in a tree or an index. */
export const modes = { absent: "000000", file: "100644", executable: "100755", link: "120000", gitlink: "160000" } as const;

/** The NUL-terminated fields of a stream, in batches as they come; one character a byte. */
export async function* fields(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  let rest = "";
  for await (const chunk of stream) {
    const parts = (rest + Buffer.from(chunk).toString("latin1")).split("\0");
    rest = parts.pop() ?? "";
    if (parts.length > 0) yield parts;
  }
  if (rest !== "") throw new FerryError("failure", "git's output ended in the middle of a record");
}

/** Reads the fields of `--raw -z`; with `--stdin` a commit's id comes before its changes. */
export class RawReader {
  /** The commit that the changes now being read belong to; "" where none was named. */
  commit = "";
  private record: string | undefined;

  /** Takes one field; gives a change when it completes one. */
  take(field: string): Change | undefined {
    if (this.record !== undefined) {
      const [oldMode, newMode, oldId, newId, status] = this.record.slice(1).split(" ");
      this.record = undefined;
      if (oldMode === undefined || newMode === undefined || oldId === undefined || newId === undefined || status === undefined)
        throw new FerryError("failure", "git's raw diff can't be read");
      return { oldMode, newMode, oldId, newId, status, path: field };
    }
    if (field.startsWith(":")) this.record = field;
    else this.commit = field.trim();
    return undefined;
  }
}

/** All changes of a `--raw -z` without commit ids. */
export function readChanges(output: Buffer): Change[] {
  const reader = new RawReader();
  const parts = output.toString("latin1").split("\0").slice(0, -1);
  return parts.map((field) => reader.take(field)).filter((change) => change !== undefined);
}
