import { FerryError } from "../../base/errors.ts";
import type { Limit, Sandbox, SandboxSpec, SpawnOptions } from "./driver.ts";
import type { Folder } from "./folder/layout.ts";
import { discard } from "./folder/trash.ts";
import type { SandboxHost } from "./host.ts";
import { removeCgroup, type Cgroup } from "./limits/cgroup.ts";
import { watchLimits } from "./limits/watch.ts";
import { collect } from "./processes/collect.ts";
import { makeRooms, type Room } from "./processes/rooms.ts";
import type { Command } from "./processes/start.ts";
import type { Recipe } from "./recipe.ts";

/** The parts that a driver puts together. */
export interface Parts {
  readonly spec: SandboxSpec;
  readonly folder: Folder;
  readonly recipe: Recipe;
  readonly cgroup: Cgroup;
}

/** Limits after which no agent starts again. The service's own commands still run, to bring home what was done. */
const final: readonly Limit[] = ["wall", "disk"];

/** A sandbox that is ready for its first process. Its wall time begins now. */
export function openSandbox({ spec, folder, recipe, cgroup }: Parts, host: SandboxHost): Sandbox {
  const rooms = makeRooms(folder, recipe.contained, host);
  const over = new AbortController();
  let broken: Limit | undefined;
  let prepared: Promise<void> | undefined;
  let destroyed: Promise<void> | undefined;
  const env = { ...recipe.env, ...spec.env };

  const open = async (argv: readonly string[], options: SpawnOptions): Promise<Room> => {
    await (prepared ??= recipe.prepare());
    const cwd = options.cwd ?? recipe.workspace;
    return rooms.open((label) => enter(cgroup, recipe.lockIn({ argv, cwd, env: { ...env, ...options.env }, label })));
  };

  const watched = {
    folder: folder.path,
    limits: spec.limits,
    watch: (["memory", "processes"] as const).filter((limit) => !cgroup.enforced.includes(limit)),
    members: () => rooms.members(),
    exceeded: async (limit: Limit) => {
      broken = limit;
      await rooms.endAll();
    },
  };
  const watching = watchLimits(watched, host, over.signal);
  // Told by `destroy`; until then processes that can't be ended are no reason to end the service.
  watching.catch(() => undefined);

  const destroy = async (): Promise<void> => {
    over.abort();
    await rooms.close();
    await watching;
    await removeCgroup(spec.id, host.clock);
    await discard(spec.root, folder.path);
  };

  return {
    id: spec.id,
    driver: recipe.driver,
    workspace: recipe.workspace,
    home: recipe.home,
    hostWorkspace: folder.workspace,
    env,
    exceeded: () => broken,
    async spawn(argv, options = {}) {
      if (broken !== undefined && final.includes(broken))
        throw new FerryError("failure", `the sandbox is over its limit (${broken}): no agent is started in it any more`);
      const { stdin, stdout, exit, end, stderrTail } = await open(argv, options);
      return {
        stdin,
        stdout,
        exit,
        stderrTail: () => stderrTail().toString("utf8"),
        kill: () => void end().catch(() => undefined),
      };
    },
    exec: async (argv, options = {}) => collect(await open(argv, options), options, host),
    killAll: () => rooms.endAll(),
    destroy: () => (destroyed ??= destroy()),
  };
}

/** The command behind a shell that first puts itself into the control groups. */
function enter(cgroup: Cgroup, command: Command): Command {
  if (cgroup.entrances.length === 0) return command;
  const script = 'while [ "$1" != -- ]; do echo 0 > "$1" || exit 125; shift; done; shift; exec "$@"';
  return { ...command, argv: ["sh", "-c", script, "sh", ...cgroup.entrances, "--", ...command.argv] };
}
