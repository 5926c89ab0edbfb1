import { asFerryError } from "../../../base/errors.ts";
import type { Session } from "../../../wire/resources.ts";
import type { AgentLaunch } from "../../agent/agent.ts";
import type { SessionsDeps } from "../deps.ts";
import { freeSpace } from "../../sandbox/folder/free-space.ts";
import { keepWorkspace } from "./keep.ts";
import { Room } from "./room.ts";

/** The rooms of all sessions: made when they are needed, kept between messages, given up when they were idle for long. */
export class Rooms {
  private readonly deps: SessionsDeps;
  private readonly open = new Map<string, Room>();
  private readonly idle = new Map<string, AbortController>();

  private readonly left: () => void;

  /** @param left told each time that a sandbox's folder went into the trash */
  constructor(deps: SessionsDeps, left: () => void) {
    this.deps = deps;
    this.left = left;
  }

  /** The session's room that is there, which is in use then. */
  enter(session: Session): Room | undefined {
    this.idle.get(session.id)?.abort();
    return this.open.get(session.id);
  }

  /** A room for a session that has none. @throws FerryError failure where it can't be made */
  async make(session: Session, launch: AgentLaunch): Promise<Room> {
    const room = await Room.make(this.deps, session, launch);
    this.open.set(session.id, room);
    return room;
  }

  /** Nobody works in it now: it is given up when that stays so. `givenUp` is told then. */
  rest(sessionId: string, givenUp: () => Promise<void>): void {
    const over = new AbortController();
    this.idle.set(sessionId, over);
    void this.deps.host.clock.sleep(this.deps.limits.idle, over.signal).then(givenUp, () => undefined);
  }

  /**
   * Ends the session's sandbox; none is fine. What the last turn could not bring home is kept: gives the words for where that is, "" where
   * all is at home. What fills the disk is not.
   */
  async leave(sessionId: string): Promise<string> {
    this.idle.get(sessionId)?.abort();
    this.idle.delete(sessionId);
    const room = this.open.get(sessionId);
    this.open.delete(sessionId);
    if (room === undefined) return "";
    let kept = "";
    const rescue = async (): Promise<void> => {
      if (!room.unsaved || room.sandbox.exceeded() === "disk") return;
      const workspace = room.sandbox.hostWorkspace;
      if ((await freeSpace(this.deps.data)) < this.deps.limits.spare) return;
      // Until it is somewhere else.
      kept = `left in ${workspace}`;
      kept = await keepWorkspace(this.deps, sessionId, workspace, "the turn could not be saved");
    };
    await room.destroy(rescue).catch((error: unknown) => {
      // The next start tries to end it again; the session goes on.
      this.deps.log(`session ${sessionId}: its sandbox: ${asFerryError(error).message}`);
    });
    this.left();
    return kept;
  }

  /** Gives the words for what was kept, by the sessions' ids. */
  async leaveAll(): Promise<Map<string, string>> {
    for (const idle of this.idle.values()) idle.abort();
    const left = await Promise.all([...this.open.keys()].map(async (id) => [id, await this.leave(id)] as const));
    return new Map(left.filter(([, kept]) => kept !== ""));
  }
}
