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
  end(): Promise<void>;
}

/** The processes of one sandbox. */
export interface Rooms {
  /** Starts a command, with a label of its own. @throws FerryError failure where it can't be run, or the sandbox is closed */
  open(command: Command): Promise<Room>;
  members(): ProcessEntry[];
  endAll(): Promise<void>;
  /** Lets no more processes in, and ends those that are there. */
  close(): Promise<void>;
}

/**
 * `contained` says that the kernel ends what a process left behind; where it doesn't, all that carry its label are ended when it ends.
 */
export function makeRooms(folder: Folder, contained: boolean, host: SandboxHost): Rooms {
  const live = new Map<Promise<Exit>, ProcessId>();
  let opened = 0;
  let closed = false;
  const all = (): Search => ({ roots: [...live.values()], labelled: folder.path });

  const open: Rooms["open"] = async (command) => {
    if (closed) throw new FerryError("failure", "the sandbox is gone: nothing can be started in it");
    opened += 1;
    const place = `${folder.path}/${opened}`;
    const started = await start({ ...command, env: { ...command.env, [label]: place } });
    const id = await record(folder.records, started.pid);
    const search: Search = { roots: id === undefined ? [] : [id], labelled: place };
    const exit = started.exit.then(async (result) => {
      // An outermost process that was killed may be gone before those inside.
      if (!contained || result.signal !== null) await endMembers(search, host);
      await forget(folder.records, started.pid);
      live.delete(exit);
      return result;
    });
    // A failure is told to whoever awaits `exit`; that nobody does must not end the service.
    exit.catch(() => undefined);
    if (id !== undefined) live.set(exit, id);
    const end = async (): Promise<void> => {
      await endMembers(search, host);
      await exit;
    };
    return { ...started, exit, end };
  };

  const endAll = async (): Promise<void> => {
    const exits = [...live.keys()];
    await endMembers(all(), host);
    await Promise.all(exits);
  };

  return {
    open,
    members: () => (live.size === 0 ? [] : findMembers(contained ? { roots: [...live.values()] } : all())),
    endAll,
    close: async () => {
      closed = true;
      await endAll();
    },
  };
}
