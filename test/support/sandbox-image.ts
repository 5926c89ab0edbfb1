import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { splitWords } from "../../src/base/words.ts";
import { oci } from "../../src/service/sandbox/drivers/oci.ts";
import type { SandboxDriver } from "../../src/service/sandbox/driver.ts";
import { makeFolder } from "./git.ts";
import { machine } from "./sandbox.ts";

/** What is in the image, and nowhere else. */
export const imageMark = "/usr/share/of-the-image";

/** Made once; the number is for a change of what is in it. */
const name = `localhost/ferry-test-image:1-${process.version}`;

const programs =
  "sh bash git node perl base64 cat chmod cp cut dirname du env expr find grep gzip head id kill ln ls mkdir mkfifo mv nohup ps readlink " +
  "rm sed seq setpriv setsid sleep sort stat tail tar tee touch tr true truncate uname unshare wc xargs";

/** Programs with the libraries that they load, at their own places, and perl's modules. */
const gather = `set -eu
root=$1; shift
mkdir -p "$root/usr/bin" "$root/usr/sbin" "$root/usr/lib" "$root/usr/lib64" "$root/usr/share" "$root/etc"
mkdir -m 1777 "$root/tmp"
for name in bin sbin lib lib64; do ln -s "usr/$name" "$root/$name"; done
take() { [ -e "$root$1" ] || cp -Lr --parents "$1" "$root"; }
for program; do
  path=$(env which "$program")
  take "$path"
  for library in $(ldd "$path" | grep -o '/[^ ]*'); do take "$library"; done
done
for modules in $(perl -e 'print "@INC"'); do case $modules in */perl-base) take "$modules" ;; esac; done
`;

/**
 * A driver whose containers are of an image with programs of its own, as one that a user names. It is made of this machine's: a test
 * fetches none. @throws Error where there is no engine
 */
export function imageDriver(): SandboxDriver {
  const engine = splitWords(machine.env["FERRY_SANDBOX_ENGINE"] ?? "podman");
  if (callEngine(engine, "image", "inspect", name).status !== 0) build(engine);
  return oci({ ...machine, env: { ...machine.env, FERRY_SANDBOX_IMAGE: name } });
}

function build(engine: readonly string[]): void {
  const folder = makeFolder("ferry-image-");
  try {
    const root = join(folder.path, "root");
    execFileSync("sh", ["-c", gather, "sh", root, ...programs.split(" ")]);
    execFileSync("touch", [join(root, imageMark)]);
    const tarball = join(folder.path, "image.tar");
    execFileSync("tar", ["-C", root, "-cf", tarball, "."]);
    const { status, stderr } = callEngine(engine, "import", "--quiet", tarball, name);
    if (status !== 0) throw new Error(stderr);
  } finally {
    folder.remove();
  }
}

function callEngine([program = "", ...words]: readonly string[], ...args: readonly string[]) {
  return spawnSync(program, [...words, ...args], { encoding: "utf8" });
}
