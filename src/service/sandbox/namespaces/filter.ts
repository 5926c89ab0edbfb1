import { chmod, writeFile } from "node:fs/promises";
import { arch } from "node:os";
import { filterFor, processorOf } from "./system-calls.ts";

/**
 * Writes the filter of system calls for this machine, to be read by the agent's user; gives its path, if the processor is known.
 * @param sealed also refuses new user namespaces
 */
export async function writeFilter(path: string, sealed = false): Promise<string | undefined> {
  const processor = processorOf(arch());
  if (processor === undefined) return undefined;
  await writeFile(path, filterFor(processor, sealed));
  await chmod(path, 0o644);
  return path;
}

/**
 * The words that put the filter in `path` in force for what follows them, as one who may do so in a user namespace: perl by prctl(2)
 * (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, a struct sock_fprog), or setpriv, which can since util-linux 2.41. Without both, or without
 * a filter, what follows runs as it is; the probe says so.
 */
export function filtered(path: string | undefined): string[] {
  const processor = processorOf(arch());
  return path === undefined || processor === undefined ? [] : ["sh", "-c", enforce, String(processor.prctl), path];
}

const enforce = `
if command -v perl > /dev/null; then
  exec perl -e '
    my $path = shift;
    open my $file, "<:raw", $path or die "$path: $!\\n";
    my $filter = do { local $/; <$file> };
    close $file;
    my $program = pack "S x![P] P", length($filter) / 8, $filter;
    syscall('"$0"', 22, 2, $program) == 0 or die "system calls can not be filtered: $!\\n";
    exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\\n"' "$@"
fi
filter=$1; shift
if setpriv --help | grep -q -e --seccomp-filter; then exec setpriv --seccomp-filter="$filter" -- "$@"; fi
exec "$@"`;
