import { createHash } from "node:crypto";
import { FerryError } from "../../../base/errors.ts";
import type { Limit } from "../driver.ts";
import type { SandboxHost } from "../host.ts";
import type { Keeper } from "../processes/rooms.ts";
import type { Exit } from "../processes/start.ts";
import { callEngine, type Engine, engineSays, lastLine } from "./engine.ts";

type Words = Pick<Engine, "words" | "env" | "kind">;

/** As a shell tells it: 128 and the signal's number. */
const sigkill = 137;
/** What `run` exits with where the engine itself failed. */
const engineFailed = 125;

/** How long an engine may take to end a container before its client is ended too, in ms. */
const patience = 10_000;

/** The labels by which a later service finds a container: the folder of all sandboxes, and the sandbox. */
export function labels(root: string, id: string): string[] {
  return [`ferry.root=${createHash("sha256").update(root).digest("hex").slice(0, 32)}`, `ferry.sandbox=${id}`];
}

/** The name of the container for a sandbox's process. */
export function containerName(id: string, number: number): string {
  return `ferry-${id}-${number}`;
}

/** The containers of one sandbox, one for each process that the service starts: the engine ends them, whatever became of its client. */
export interface Containers extends Keeper {
  exceeded(): Limit | undefined;
}

export function makeContainers(engine: Engine, id: string, host: SandboxHost): Containers {
  const clearing = new Set<Promise<unknown>>();
  const killed = new Set<number>();
  let exceeded: Limit | undefined;

  const ranOutOfMemory = async (name: string): Promise<boolean> => {
    const { stdout } = await callEngine(engine, ["container", "inspect", "--format", "{{.State.OOMKilled}}", name]);
    return stdout.trim() === "true";
  };

  return {
    exceeded: () => exceeded,

    // A client that is killed while it makes a container may leave one that starts later. So it stays, until the container is there to
    // be killed, and then ends by itself.
    async end(number, exit) {
      const over = new AbortController();
      const ended = exit.then(() => {
        over.abort();
      });
      const deadline = host.clock.elapsed() + patience;
      while (!over.signal.aborted && host.clock.elapsed() < deadline) {
        const { code } = await callEngine(engine, ["kill", "--signal", "KILL", containerName(id, number)]);
        if (code === 0) killed.add(number);
        if (code === 0) break;
        await host.clock.sleep(50, over.signal).catch(() => undefined);
      }
      const waited = host.clock.sleep(Math.max(0, deadline - host.clock.elapsed()), over.signal).catch(() => undefined);
      await Promise.race([ended, waited]);
    },

    async ended(number, { code }: Exit, stderr) {
      const name = containerName(id, number);
      exceeded = limitIn(stderr) ?? exceeded;
      if (code === sigkill && !killed.has(number) && (await ranOutOfMemory(name))) exceeded = "memory";
      const removal = remove(engine, [name]);
      // A client that failed or was killed knows nothing of its container. Else nothing runs in it any more, and nobody need wait until
      // its traces are gone.
      if (code === null || code === engineFailed) return removal;
      clearing.add(removal);
      removal.then(
        () => clearing.delete(removal),
        () => undefined,
      );
    },

    async close() {
      await Promise.all(clearing);
    },
  };
}

const mark = "ferry-limit:";

/**
 * Said last in a container, in the shell's own words: which limit the kernel had to keep, as it counts in version 2 and 1 of control
 * groups. An engine knows of its first process alone. Who says it without need cuts his own turn short.
 */
export const sayLimit = `for file in memory.events memory/memory.oom_control pids.events pids/pids.events; do
  [ ! -r "/sys/fs/cgroup/$file" ] || while read -r name number; do
    case "$name $number" in
      "oom_kill "[1-9]*) echo "${mark} memory" >&2 ;;
      "max "[1-9]*) case $file in pids*) echo "${mark} processes" >&2 ;; esac ;;
    esac
  done < "/sys/fs/cgroup/$file"
done;`;

function limitIn(stderr: Buffer): Limit | undefined {
  const said = new RegExp(`^${mark} (memory|processes)$`, "gmu");
  return [...stderr.subarray(-256).toString("latin1").matchAll(said)].at(-1)?.[1] as Limit | undefined;
}

/**
 * Ends and removes all containers that carry every one of the labels; gives the sandboxes that they were of.
 * @throws FerryError failure where the engine can't be asked, or one can't be removed
 */
export async function removeLabelled(
  engine: Words,
  wanted: readonly string[],
  alive: ReadonlySet<string> = new Set(),
): Promise<string[]> {
  const filters = wanted.map((label) => `--filter=label=${label}`);
  const names = await engineSays(engine, ["ps", "--all", ...filters, "--format", "{{.Names}}"]);
  const found = names
    .split("\n")
    .map((name) => ({ name, id: /^ferry-(.+)-\d+$/u.exec(name)?.[1] ?? "" }))
    .filter(({ name, id }) => name !== "" && !alive.has(id));
  if (found.length > 0)
    await remove(
      engine,
      found.map(({ name }) => name),
    );
  return [...new Set(found.map(({ id }) => id))];
}

/** One that isn't there any more is fine. */
async function remove(engine: Words, names: readonly string[]): Promise<void> {
  const now = engine.kind === "podman" ? ["--time", "0"] : [];
  const { code, stderr } = await callEngine(engine, ["rm", "--force", "--volumes", ...now, ...names]);
  if (code === 0 || /no such container|no container with/iu.test(stderr)) return;
  throw new FerryError("failure", `a container of a sandbox can't be ended: ${lastLine(stderr)}`, {
    hint: "it is tried again when the service starts next",
  });
}
