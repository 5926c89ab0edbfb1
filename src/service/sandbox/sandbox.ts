import { existsSync } from "node:fs";
import { FerryError } from "../../base/errors.ts";
import type { Limit, Sandbox, SandboxProcess, SandboxSpec, SpawnOptions } from "./driver.ts";
import { makeFolder, type Folder } from "./folder/layout.ts";
import { giveUp, nothingToRescue, type Rescue } from "./folder/rescue.ts";
import { throwAway } from "./folder/trash.ts";
import type { SandboxHost } from "./host.ts";
import { makeCgroup, noCgroup, removeCgroup, type Cgroup } from "./limits/cgroup.ts";
import { diskOf } from "./limits/usage.ts";
import { watchLimits } from "./limits/watch.ts";
import { collect } from "./processes/collect.ts";
import { makeRooms, type Room } from "./processes/rooms.ts";
import type { Command } from "./processes/start.ts";
import type { Recipe } from "./recipe.ts";

/** Limits after which no agent starts again. The service's own commands still run, to bring home what was done. */
const final: readonly Limit[] = ["wall", "disk"];

/**
 * Makes a sandbox's folder, and the sandbox by the recipe for it. Its wall time begins now.
 * @throws FerryError failure where it is there already, or something that is to be seen inside isn't there; nothing is left then
 */
export async function makeSandbox(
  spec: SandboxSpec,
  host: SandboxHost,
  recipeFor: (folder: Folder) => Recipe | Promise<Recipe>,
): Promise<Sandbox> {
  for (const { source } of [...spec.mounts, ...spec.sockets])
    if (!existsSync(source)) throw new FerryError("failure", `${source} is to be seen in the sandbox, but isn't there`);
  const folder = await makeFolder(spec.root, spec.id);
  try {
    const recipe = await recipeFor(folder);
    return openSandbox({ spec, folder, recipe, cgroup: await groupFor(spec, recipe) }, host);
  } catch (error) {
    await throwAway(spec.root, folder.path);
    throw error;
  }
}

/** None of ours where the recipe's own hold: they would count a client in. */
function groupFor(spec: SandboxSpec, { keeps }: Recipe): Promise<Cgroup> {
  const kept = (["memory", "processes", "cpu"] as const).every((limit) => keeps.includes(limit));
  return kept ? Promise.resolve(noCgroup) : makeCgroup(spec.id, spec.limits);
}

interface Parts {
  readonly spec: SandboxSpec;
  readonly folder: Folder;
  readonly recipe: Recipe;
  readonly cgroup: Cgroup;
}

function openSandbox({ spec, folder, recipe, cgroup }: Parts, host: SandboxHost): Sandbox {
  const rooms = makeRooms(folder, recipe.keeper, host);
  const over = new AbortController();
  let broken: Limit | undefined;
  let prepared: Promise<void> | undefined;
  let destroyed: Promise<void> | undefined;
  const env = { ...recipe.env, ...spec.env };

  const open = async (argv: readonly string[], options: SpawnOptions): Promise<Room> => {
    await (prepared ??= recipe.prepare());
    const cwd = options.cwd ?? recipe.workspace;
    const inside = { argv, cwd, env: { ...env, ...options.env } };
    return rooms.open((number) => enter(cgroup, recipe.lockIn(inside, number)));
  };

  const watched = {
    limits: spec.limits,
    watch: (["memory", "processes"] as const).filter((limit) => ![...cgroup.enforced, ...recipe.keeps].includes(limit)),
    busy: () => rooms.busy(),
    members: () => rooms.members(),
    disk: () => diskOf(folder.path, rooms.members()),
    unlock: async () => {
      const shut = ["find", recipe.workspace, recipe.home, ...["-xdev", "-type", "d", "!", "-perm", "-u=rx"]];
      // Inside no link leads anywhere. Whether it could be done is seen when it is counted again.
      await open([...shut, "-exec", "chmod", "u+rwx", "{}", ";"], { cwd: "/" })
        .then((opening) => collect(opening, { timeout: 60_000 }, host))
        .catch(() => undefined);
    },
    exceeded: async (limit: Limit) => {
      broken = limit;
      await rooms.endAll();
    },
  };
  const watching = watchLimits(watched, host, over.signal);
  // Told by `destroy`; until then processes that can't be ended are no reason to end the service.
  watching.catch(() => undefined);

  const end = async (): Promise<void> => {
    over.abort();
    await rooms.close();
    await watching;
    await removeCgroup(spec.id, host.clock);
  };
  const destroy = (rescue: Rescue): Promise<void> => giveUp(spec.root, folder, end, () => rescue(spec.id));

  return {
    id: spec.id,
    driver: recipe.driver,
    workspace: recipe.workspace,
    home: recipe.home,
    hostWorkspace: folder.workspace,
    env,
    exceeded: () => broken ?? cgroup.exceeded() ?? recipe.exceeded?.(),
    async spawn(argv, options = {}) {
      if (broken !== undefined && final.includes(broken))
        throw new FerryError("failure", `the sandbox is over its limit (${broken}): no agent is started in it any more`);
      return asProcess(await open(argv, options));
    },
    exec: async (argv, options = {}) => collect(await open(argv, options), options, host),
    killAll: () => rooms.endAll(),
    destroy: (rescue = nothingToRescue) => (destroyed ??= destroy(rescue)),
  };
}

function asProcess({ stdin, stdout, stderrTail, exit, end }: Room): SandboxProcess {
  const kill = (): void => {
    // Whoever waits for `exit` is told.
    end().catch(() => undefined);
  };
  return { stdin, stdout, exit, kill, stderrTail: () => stderrTail().toString("utf8") };
}

/** The command behind a shell that first puts itself into the control groups. */
function enter(cgroup: Cgroup, command: Command): Command {
  if (cgroup.entrances.length === 0) return command;
  const script = 'while [ "$1" != -- ]; do echo 0 > "$1" || exit 125; shift; done; shift; exec "$@"';
  return { ...command, argv: ["sh", "-c", script, "sh", ...cgroup.entrances, "--", ...command.argv] };
}
