import type { SandboxDriver } from "../driver.ts";
import { agent } from "../environment.ts";
import type { SandboxHost } from "../host.ts";
import { makeNamespaceDriver } from "../namespaces.ts";
import { filtered } from "../namespaces/filter.ts";
import type { Step } from "../view.ts";

/** The same with what util-linux brings to every Linux, so that there is nothing to install. */
export function unshare(host: SandboxHost): SandboxDriver {
  return makeNamespaceDriver(
    {
      name: "unshare",
      program: "unshare",
      remedy: "install util-linux",
      words: ({ steps, place, filter }) => [
        ...namespaces,
        ...filtered(filter),
        ...["sh", "-c", setUp, "sh", place, ...steps.flatMap(triple), "--"],
        ...drop,
      ],
    },
    host,
  );
}

const namespaces = [
  "unshare",
  "--user",
  "--map-root-user",
  "--mount",
  "--pid",
  "--fork",
  "--kill-child",
  "--ipc",
  "--uts",
  "--net",
  "--cgroup",
  "--",
];

/**
 * A second user namespace: from here on the mounts are the first one's and can't be undone, the user is the agent, and no
 * capability is left, not even to be gained.
 */
const drop = [
  ...["unshare", "--user", `--map-user=${agent.uid}`, `--map-group=${agent.uid}`, "--keep-caps", "--"],
  ...["setpriv", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all", "--"],
];

/**
 * Puts the new root together at $1 from triples (kind, source, target) up to `--`, makes it the root, and goes on with the rest.
 *
 * - A flag that the host set on a mount may not be dropped in a user namespace, hence a bind's second try with noexec.
 * - A read-only bind holds for the one mount alone (mount(8)), so each mount below it is made read-only by itself.
 * - Lo can be raised only while there are capabilities; without `ip` perl can (SIOCSIFFLAGS, netdevice(7)).
 * - The host's name stays where there is no `hostname`: it is no secret, and nothing else of util-linux sets it.
 * - One more user namespace may be made, which is ours; then none.
 */
const setUp = `set -e
new=$1; shift
readonly=
bind() {
  if [ -d "$2" ]; then [ -d "$new$3" ] || mkdir -p "$new$3"; else within "$3"; [ -e "$new$3" ] || : > "$new$3"; fi
  mount --rbind -o "$1" "$2" "$new$3" 2>/dev/null || mount --rbind -o "$1,noexec" "$2" "$new$3"
}
within() {
  [ -d "$new\${1%/*}" ] || mkdir -p "$new\${1%/*}"
}
mount -t tmpfs -o mode=755,size=4m,nosuid,nodev ferry "$new"
mkdir "$new/proc" "$new/old"
mount -t proc -o nosuid,nodev,noexec proc "$new/proc"
while [ "$1" != -- ]; do
  case $1 in
    read) bind ro,nosuid,nodev "$2" "$3"; readonly="$readonly$3
" ;;
    write) bind rw,nosuid,nodev "$2" "$3" ;;
    devices)
      for name in null zero full random urandom tty; do bind rw,nosuid "/dev/$name" "/dev/$name"; done
      mkdir "$new/dev/pts"
      mount -t devpts -o newinstance,ptmxmode=666,mode=620,nosuid,noexec ferry "$new/dev/pts"
      ln -s pts/ptmx "$new/dev/ptmx"
      ln -s /proc/self/fd "$new/dev/fd"
      ln -s fd/0 "$new/dev/stdin"; ln -s fd/1 "$new/dev/stdout"; ln -s fd/2 "$new/dev/stderr"
      ;;
    memory) mkdir -p "$new$3"; mount -t tmpfs -o "mode=1777,size=$2m,nosuid,nodev" ferry "$new$3" ;;
    link) within "$3"; ln -s "$2" "$new$3" ;;
  esac
  shift 3
done
shift
cut -d ' ' -f 5 /proc/self/mountinfo | while read -r point; do
  case $point in "$new"/*) point=$(printf %b "$point") ;; *) continue ;; esac
  printf %s "$readonly" | while read -r target; do
    case $point in
      "$new$target"/*)
        mount -o remount,bind,ro,nosuid,nodev "$point" 2>/dev/null || mount -o remount,bind,ro,nosuid,nodev,noexec "$point"
        ;;
    esac
  done
done
ip link set lo up 2>/dev/null ||
  perl -e 'socket(S, 2, 2, 0) or exit 1; my $up = pack("a16s", "lo", 1); ioctl(S, 0x8914, $up) or exit 1' 2>/dev/null || true
echo 1 > "$new/proc/sys/user/max_user_namespaces"
mount --bind -o ro,nosuid,nodev,noexec "$new/proc/sys" "$new/proc/sys"
hostname ferry 2>/dev/null || true
cd "$new"
pivot_root . old
umount -l old
rmdir old
mount -o remount,bind,ro,nosuid,nodev /
exec "$@"`;

function triple(step: Step): string[] {
  switch (step.kind) {
    case "memory":
      return [step.kind, String(step.megabytes), step.target];
    case "devices":
      return [step.kind, "", step.target];
    default:
      return [step.kind, step.source, step.target];
  }
}
