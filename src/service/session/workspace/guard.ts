import { oneLine } from "../../../base/text.ts";

/** How what the guard says begins; what kind of obstacle it is and its path follow. */
const mark = "ferry: blocked by ";

/**
 * Runs `$2` …, and once that takes longer than `$1` seconds looks for what git would wait in, or be busy with, for ever: where there is
 * something it says so and ends; all that it started ends with it. Nothing is looked for before, since that takes as long as git itself
 * where a repository is large.
 *
 * A pipe or device in the place of a file of git's: git waits there for who would write to it. Git follows links in its own folder, and
 * in the tree to none of its files (git-ignore(5), gitattributes(5)); other folders of objects it finds by `alternates`, five deep
 * (gitrepository-layout(5)). The configuration: it may include a pipe from anywhere, or a few files so that they are read billions of
 * times, so it is tried. Patterns, much later, since many are no trouble by themselves: each file is compared with all of them.
 */
const guard = `
blocked() {
  [ -n "$2" ] || return 0
  printf '${mark}%s %s\\n' "$1" "$2" >&2
  kill -KILL $$
}
pipes() {
  find -L .git "$HOME/.gitconfig" "$HOME/.config/git" '(' -type p -o -type c ! -samefile /dev/null ')' -print -quit
  find . -type p '(' -name .gitignore -o -name .gitattributes -o -name .gitmodules -o -path '*/.git/*' ')' -print -quit
  elsewhere .git/objects 1
}
elsewhere() (
  [ "$2" -le 5 ] && [ -f "$1/info/alternates" ] || return 0
  cd "$1" || return 0
  head -n 20 info/alternates | while IFS= read -r objects; do
    find -L "$objects" -type p -print -quit
    elsewhere "$objects" $(($2 + 1))
  done
)
patterns() {
  find .git/info -size +4096k '(' -name attributes -o -name exclude ')' -print -quit
  find . -size +4096k '(' -name .gitignore -o -name .gitattributes ')' -print -quit
}
(
  sleep "$1" 2>/dev/null
  blocked pipe "$({ pipes | head -n 1; } 2>/dev/null)"
  timeout 3 git config --list 2>/dev/null
  [ $? != 124 ] || blocked configuration .git/config
  sleep 3 2>/dev/null
  blocked patterns "$({ patterns | head -n 1; } 2>/dev/null)"
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

/** What the guard says of each kind of obstacle. */
const obstacles: Readonly<Record<string, (path: string) => string>> = {
  pipe: (path) => `${path} is no file, and git would wait in it for ever`,
  configuration: (path) => `${path}, with what it includes, takes git too long to read`,
  patterns: (path) => `${path} is larger than 4 MiB, and takes git too long; it has to go, or to hold fewer patterns`,
};

/** What git waited in, or was busy with, as the guard said on stderr; undefined where it said nothing. */
export function blockedBy(stderr: string): string | undefined {
  const at = stderr.lastIndexOf(mark);
  if (at === -1) return undefined;
  const [, kind = "", path = ""] = /^(\w+) ([^\n]*)/u.exec(stderr.slice(at + mark.length)) ?? [];
  return obstacles[kind]?.(oneLine(path.replace(/^\.\//u, "")));
}
