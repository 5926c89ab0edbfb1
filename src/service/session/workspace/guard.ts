import { oneLine } from "../../../base/text.ts";

/** How what the guard says begins. */
const mark = "ferry: blocked by ";

/**
 * Runs `$2` …, and once that takes longer than `$1` seconds looks for a pipe or device in the place of a file of git's: git waits there for
 * who would write to it. Where there is one it says so and ends; all that it started ends with it. Nothing is looked for before, since that
 * takes as long as git itself where a repository is large. Git follows links in its own folder, and in the tree to none of its files
 * (git-ignore(5), gitattributes(5)).
 */
const guard = `
(
  sleep "$1" 2>/dev/null
  found=$({
    find -L .git "$HOME/.gitconfig" "$HOME/.config/git" '(' -type p -o -type c ! -samefile /dev/null ')' -print -quit
    find . -type p '(' -name .gitignore -o -name .gitattributes -o -name .gitmodules -o -path '*/.git/*' ')' -print -quit
  } 2>/dev/null)
  [ -n "$found" ] || exit 0
  printf '${mark}%s\\n' "$found" >&2
  kill -KILL $$
) </dev/null >/dev/null &
shift
"$@"
code=$?
kill $! 2>/dev/null
exit $code
`;

/**
 * The command under the guard.
 * @param after ms after which it may wait for something
 */
export function guarded(argv: readonly string[], after = 250): string[] {
  return ["sh", "-c", guard, "guard", String(after / 1000), ...argv];
}

/** The path that git waited in, as the guard said on stderr; undefined where it said nothing. */
export function blockedBy(stderr: string): string | undefined {
  const at = stderr.lastIndexOf(mark);
  if (at === -1) return undefined;
  const [path = ""] = stderr.slice(at + mark.length).split("\n", 1);
  return oneLine(path.replace(/^\.\//u, ""));
}
