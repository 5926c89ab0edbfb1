import { FerryError } from "../base/errors.ts";
import { oneLine } from "../base/text.ts";
import type { GitResult } from "./git.ts";
import { gitError } from "./runner.ts";

/** The system's own words (strerror with LC_ALL=C) for what is nobody's lie: the machine is full, or forbids it. */
const words =
  /No space left on device|Out of diskspace|Disk quota exceeded|File too large|Read-only file system|Permission denied|Operation not permitted|Cannot allocate memory|Out of memory|Too many open files|Input\/output error/iu;

/** Where git names a file that it could not write, in entry.c, lockfile.c, object-file.c and wrapper.c, and why. */
const files = [
  /^\w+: unable to unlink (?:old )?'(?<path>.+)': (?<why>[^:]+)$/u,
  /^\w+: unable to (?:create|write) file (?<path>.+): (?<why>[^:]+)$/u,
  /Unable to create '(?<path>.+)': (?<why>[^:]+)$/u,
  /^\w+: (?<why>insufficient permission) for adding an object to repository database (?<path>.+)$/u,
];

/** In convert.c, where what a filter makes is required (gitattributes(5)). */
const filtered = /^fatal: (?<file>.+): (?:smudge|clean) filter (?<filter>.+) failed$/u;

/** What helps, by the system's words or its code (errno(3)). */
const remedies: readonly (readonly [RegExp, string])[] = [
  [/^(No space|Out of disk|Disk quota|ENOSPC|EDQUOT)/iu, "make room there, then try again"],
  [/^(Read-only|EROFS)/iu, "it lies on a file system that can only be read"],
  [
    /^(Permission|Operation not|insufficient|EACCES|EPERM)/iu,
    "look who owns it and its folder, and who may write them (ls -ld), then try again",
  ],
];

/** A failed git whose reason is the machine and not what it was given; undefined for any other. */
export function systemTrouble(args: readonly string[], result: Pick<GitResult, "code" | "stderr">): FerryError | undefined {
  const lines = result.stderr.toString("utf8").split("\n");
  // An error says why git gave up; a warning before it may be of a file that it could do without.
  const errors = lines.filter((line) => !line.startsWith("warning:"));
  for (const { path = "", why = "" } of files.flatMap((file) => errors.map((line) => file.exec(line)?.groups ?? {}))) {
    const hint = remedyOf(why);
    if (hint !== undefined) return unwritable(path, why, { hint, cause: gitError(args, result) });
  }
  const { file, filter } =
    lines.map((each) => filtered.exec(each)?.groups ?? {}).find(({ filter: name }) => name !== undefined) ?? {};
  if (file !== undefined && filter !== undefined)
    return new FerryError("attention", `${oneLine(file)} can't be written: the filter ${oneLine(filter)} failed`, {
      code: "filter",
      hint: `filter.${oneLine(filter)} of the git configuration says what it runs: git config --get-regexp '^filter'; mend it, then try again`,
      cause: gitError(args, result),
    });
  const line = lines.find((each) => words.test(each));
  if (line === undefined && result.code <= 128) return undefined;
  return gitError(args, line === undefined ? result : { ...result, stderr: Buffer.from(line) });
}

/** The same of a file that we could not write ourselves; `name` is what it is called, where that is not its whole path. */
export function fileTrouble(error: unknown, name?: string): FerryError | undefined {
  if (!(error instanceof Error && "code" in error && "path" in error) || typeof error.path !== "string") return undefined;
  const code = String(error.code);
  const hint = remedyOf(code);
  // As Node words it: `EACCES: permission denied, mkdir '…'`.
  const [, why = code] = /^\w+: ([^,]+),/u.exec(error.message) ?? [];
  return hint === undefined ? undefined : unwritable(name ?? error.path, why, { hint, cause: error });
}

function unwritable(path: string, why: string, more: { hint: string; cause: Error }): FerryError {
  return new FerryError("attention", `${oneLine(path)} can't be written: ${why.toLowerCase()}`, { code: "unwritable", ...more });
}

function remedyOf(why: string): string | undefined {
  return remedies.find(([pattern]) => pattern.test(why))?.[1];
}
