import type { FerryError } from "../base/errors.ts";
import type { GitResult } from "./git.ts";
import { gitError } from "./runner.ts";

/** The system's own words (strerror with LC_ALL=C) for what is nobody's lie: the machine is full, or forbids it. */
const words =
  /No space left on device|Out of diskspace|Disk quota exceeded|File too large|Read-only file system|Permission denied|Operation not permitted|Cannot allocate memory|Out of memory|Too many open files|Input\/output error/iu;

/** A failed git whose reason is the machine and not what it was given; undefined for any other. */
export function systemTrouble(args: readonly string[], result: GitResult): FerryError | undefined {
  const line = result.stderr
    .toString("utf8")
    .split("\n")
    .find((each) => words.test(each));
  if (line === undefined && result.code <= 128) return undefined;
  return gitError(args, line === undefined ? result : { ...result, stderr: Buffer.from(line) });
}
