import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { FerryError } from "../../../base/errors.ts";
import type { View } from "../view.ts";
import { run } from "../processes/run.ts";

/**
 * Who builds the sandbox on the host. An ordinary service does it itself. One that is root gives each sandbox a user of its own, that
 * owns nothing but workspace and home, so that what runs inside is nobody even if it gets out; and as that user can't walk through the
 * service's 0700 folders, root binds what it needs to a place of its own first.
 */
export interface Builder {
  /** The number of the user that owns the agent's files on the host; undefined for the service's own. */
  readonly uid: number | undefined;
  /** Gives the agent's files to it; follows no link. */
  own(paths: readonly string[]): Promise<void>;
  /** The words that go before a command, and the view with its paths as that command sees them. */
  build(view: View): { readonly prefix: readonly string[]; readonly view: View };
}

/** The builder for the sandbox `id`. */
export async function builderFor(id: string): Promise<Builder> {
  const uid = await userFor(id);
  return uid === undefined ? ordinary : rootFor(uid);
}

/**
 * The kernel ends the first process when the service dies, however it does. It is the thread that started it that counts
 * (PR_SET_PDEATHSIG, prctl(2)), so drivers are for the main thread, not for a worker that comes and goes.
 */
const dieWithService = ["--pdeathsig", "KILL"];

const ordinary: Builder = {
  uid: undefined,
  own: () => Promise.resolve(),
  build: (view) => ({ prefix: ["setpriv", ...dieWithService, "--"], view }),
};

/** Far above any user that a system gives out by itself; in a container that has fewer, at its upper end. */
const first = 0x7000_0000;
const span = 1 << 24;

async function userFor(id: string): Promise<number | undefined> {
  if ((await stat("/proc/self")).uid !== 0) return undefined;
  const number = createHash("sha256").update(id).digest().readUInt32BE();
  const end = await highestUser();
  if (end >= first + span) return first + (number % span);
  // With hardly a user besides itself, this root is an ordinary user of the system outside.
  return end < 4096 ? undefined : end - 1024 + (number % 512);
}

/** One more than the highest user that is mapped here (user_namespaces(7)). */
async function highestUser(): Promise<number> {
  const lines = (await readFile("/proc/self/uid_map", "utf8")).trim().split("\n");
  return Math.max(
    ...lines.map((line) => /^\s*(\d+)\s+\d+\s+(\d+)/.exec(line)).map((match) => Number(match?.[1]) + Number(match?.[2])),
  );
}

/**
 * As root in mounts of its own: binds each source into a tmpfs over /sys, which every Linux has and which nothing here needs, and goes on
 * as the user.
 */
const stage = `set -e
user=$1; shift
mount -t tmpfs -o mode=711,size=1m ferry /sys
number=0
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then mkdir "/sys/$number"; else : > "/sys/$number"; fi
  mount --rbind "$1" "/sys/$number"
  number=$((number + 1)); shift
done
shift
exec setpriv --reuid "$user" --regid "$user" --clear-groups --inh-caps=-all ${dieWithService.join(" ")} -- "$@"`;

function rootFor(uid: number): Builder {
  return {
    uid,
    own: async (paths) => {
      const { code, stderr } = await run(["chown", "-RhP", `${uid}:${uid}`, "--", ...paths]);
      if (code !== 0) throw new FerryError("failure", `the agent's files can't be given to it: ${stderr.trim()}`);
    },
    build: (view) => {
      const { hidden } = view;
      const prefix = ["unshare", "--mount", "--", "sh", "-c", stage, "sh", String(uid), ...hidden, "--"];
      const steps = view.steps.map((step) => ("source" in step ? { ...step, source: staged(step.source, hidden) } : step));
      const filter = view.filter === undefined ? undefined : staged(view.filter, hidden);
      return { prefix, view: { steps, place: staged(view.place, hidden), filter, hidden } };
    },
  };
}

/** The path at which the stage shows what lies in, or is, one of the hidden folders; any other path as it is. */
function staged(path: string, hidden: readonly string[]): string {
  const number = hidden.findIndex((folder) => path === folder || path.startsWith(`${folder}/`));
  return number === -1 ? path : `/sys/${number}${path.slice(hidden[number]?.length)}`;
}
