import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Head, Repository } from "../../git/discover.ts";

/** Enough for an entry of a reflog. */
const tail = 4096;

/**
 * Whether the branch was made anew since the cursor last moved: one of the same name that got the commits is gone, so the cursor
 * tells nothing of this one. By the reflogs, to the second; no where they don't say (switched off, expired, not in files).
 */
export async function isMadeSince(cursorRef: string, head: Head, { commonDir }: Repository): Promise<boolean> {
  if (head.state !== "branch") return false;
  const [first, last] = await Promise.all([
    readEnd(join(commonDir, "logs", head.ref), "first"),
    readEnd(join(commonDir, "logs", cursorRef), "last"),
  ]);
  if (first === undefined || last === undefined || !/^0+ /u.test(first)) return false;
  const [made, moved] = [secondsOf(first), secondsOf(last)];
  return made !== undefined && moved !== undefined && made > moved;
}

/** The first or last line of a file; undefined for none. */
async function readEnd(path: string, which: "first" | "last"): Promise<string | undefined> {
  const file = await open(path).catch(missing);
  if (file === undefined) return undefined;
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(tail), 0, tail, which === "first" ? 0 : Math.max(0, size - tail));
    return buffer
      .toString("latin1", 0, bytesRead)
      .split("\n")
      .filter(Boolean)
      .at(which === "first" ? 0 : -1);
  } finally {
    await file.close();
  }
}

/** `<old> <new> <name> <<mailbox>> <seconds> <zone>TAB<why>`, see gitrepository-layout(5), logs. */
function secondsOf(line: string): number | undefined {
  const seconds = /> (\d+) [+-]\d+(\t|$)/u.exec(line)?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
  return undefined;
}
