import { FerryError } from "../../../base/errors.ts";
import type { Folder } from "../folder/layout.ts";
import type { SandboxHost } from "../host.ts";
import { endMembers } from "./end.ts";
import { findMembers, label, type Search } from "./members.ts";
import { forget, record } from "./records.ts";
import { start, type Command, type Exit, type Started } from "./start.ts";
import type { ProcessEntry, ProcessId } from "./table.ts";

/** A process that the service started in a sandbox, with all that it starts in turn. */
export interface Room extends Started {
  /** Ends it with all in it; resolves when none runs any more. */
  readonly end: () => Promise<void>;
}

/** Who ends what a process is only the client of, by the number of the process in its sandbox. */
export interface Keeper {
  /** Ends it; `exit` resolves when the client has ended. Afterwards a client that still runs is ended too. */
  end(number: number, exit: Promise<Exit>): Promise<void>;
  /**
   * The client ended, with the last of its stderr. Resolves when what was behind it has.
   * @throws FerryError failure where that can't be had
   */
  ended(number: number, exit: Exit, stderr: Buffer): Promise<void>;
  /** All have ended: resolves when their traces are gone. */
  close(): Promise<void>;
}

/** The processes of one sandbox. */
export interface Rooms {
  /** Starts the command for its number, with a label of its own. @throws FerryError failure where it can't be run, or the sandbox is closed */
  open(commandFor: (number: number) => Command): Promise<Room>;
  /** Whether any runs. */
  busy(): boolean;
  members(): ProcessEntry[];
  endAll(): Promise<void>;
  /** Lets no more processes in, and ends those that are there. */
  close(): Promise<void>;
}

/** @param keeper who ends what a process left behind; where nobody does, all that carry its label are ended when it ends */
export function makeRooms(folder: Folder, keeper: "kernel" | "nobody" | Keeper, host: SandboxHost): Rooms {
  const live = new Map<Room, ProcessId | undefined>();
  let opened = 0;
  let closed = false;

  const open: Rooms["open"] = async (commandFor) => {
    if (closed) throw new FerryError("failure", "the sandbox is gone: nothing can be started in it");
    const number = (opened += 1);
    const labelled = `${folder.path}/${number}`;
    const command = commandFor(number);
    const started = await start({ ...command, env: { ...command.env, [label]: labelled } });
    const id = await record(folder.records, started.pid);
    const search: Search = { roots: rootsOf([id]), labelled };
    const exit = started.exit.then(async (result) => {
      if (typeof keeper !== "string") await keeper.ended(number, result, started.stderrTail());
      // An outermost process that was killed may be gone before those inside.
      if (keeper === "nobody" || result.signal !== null) await endMembers(search, host);
      await forget(folder.records, started.pid);
      live.delete(room);
      return result;
    });
    // A failure is told to whoever awaits `exit`; that nobody does must not end the service.
    exit.catch(() => undefined);
    const end = async (): Promise<void> => {
      if (typeof keeper !== "string") await keeper.end(number, started.exit);
      await endMembers(search, host);
      await exit;
    };
    const room: Room = { ...started, exit, end };
    live.set(room, id);
    return room;
  };

  // Those that are there now: a label for all would take one along that is started meanwhile.
  const endAll = async (): Promise<void> => {
    await Promise.all([...live.keys()].map((room) => room.end()));
  };

  return {
    open,
    busy: () => live.size > 0,
    members: () => {
      const roots = rootsOf([...live.values()]);
      if (live.size === 0) return [];
      // What an engine runs comes from the engine, and not from its client.
      return findMembers(keeper === "kernel" ? { roots } : { roots, labelled: folder.path });
    },
    endAll,
    close: async () => {
      closed = true;
      await endAll();
      if (typeof keeper !== "string") await keeper.close();
      await endMembers({ roots: [], labelled: folder.path }, host);
    },
  };
}

function rootsOf(ids: readonly (ProcessId | undefined)[]): ProcessId[] {
  return ids.filter((id) => id !== undefined);
}
