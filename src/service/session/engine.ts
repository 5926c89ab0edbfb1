import { asFerryError } from "../../base/errors.ts";
import { Problem } from "../problem.ts";
import { makeEmptier } from "../sandbox/folder/emptier.ts";
import type { UserRecord } from "../store/store.ts";
import { announce } from "./turn/announce.ts";
import { createSession } from "./create.ts";
import type { SessionsDeps } from "./deps.ts";
import { editSession } from "./edit.ts";
import { leaveRoom, tellKept, unsavedBefore } from "./leave.ts";
import { takeMessage } from "./message.ts";
import { forgetMemory } from "./memory/memory.ts";
import { makeMutex } from "./mutex.ts";
import { within } from "../patience.ts";
import { recover } from "./recover.ts";
import { layout } from "./repository/layout.ts";
import { Rooms } from "./workspace/rooms.ts";
import { bundle } from "./series/bundle.ts";
import { mbox } from "./series/mail.ts";
import { manifest } from "./series/manifest.ts";
import { uncommitted } from "./series/uncommitted.ts";
import type { Sessions } from "./sessions.ts";
import { findSession, settle } from "./settle.ts";
import { Timeline } from "./timeline/timeline.ts";
import { Worker } from "./turn/worker.ts";

export function makeSessions(deps: SessionsDeps): Sessions {
  const { store } = deps;
  const lock = makeMutex();
  const timeline = new Timeline(deps);
  const books = { store, timeline };
  const emptier = makeEmptier(layout.sandboxes(deps.data), deps.log);
  const rooms = new Rooms(deps, () => emptier.poke());
  const tools = { deps, timeline, rooms, arrived: announce(deps, timeline) };
  const worker = new Worker(tools, lock);
  let stopping = false;

  const sessions: Sessions = {
    async start() {
      const waiting = await recover(tools);
      emptier.poke();
      for (const { session, next } of waiting) worker.begin(session, next);
    },
    async stop() {
      stopping = true;
      const emptied = emptier.stop();
      // Each saves for half of that at most. Whatever else one waits for, the folder is free for the next service then.
      await within(deps.host.clock, deps.limits.saving, "ending the turns", worker.stopAll()).catch((error: unknown) => {
        deps.log(asFerryError(error).message);
      });
      for (const [id, kept] of await rooms.leaveAll()) await timeline.say(id, unsavedBefore(kept));
      await emptied;
    },
    busy: () => worker.busy,

    async create(request, user) {
      const session = await createSession(deps, lock, request, user);
      if (request.message === undefined) return session;
      await sessions.post(session.id, { message: request.message, client_id: "" }, user);
      return findSession(store, session.id);
    },

    update: (id, request) => lock(id, async () => editSession(tools, await findSession(store, id), request)),

    post: (id, request) =>
      lock(id, async () => {
        if (stopping) throw new Problem(503, "stopping", "the service is stopping");
        const { event, session, fresh, answers } = await takeMessage(books, id, request);
        if (answers !== undefined) worker.answer(id, answers.id, request.message);
        if (fresh && event.status === "processing") worker.begin(session, event);
        return event;
      }),

    async cancel(id, request) {
      // Aborted under the lock, waited for outside of it: the turn's end needs it.
      const { gone } = await lock(id, async () => {
        await settle(books, id, { type: "cancel", queued: request.queued });
        return { gone: worker.stop(id) };
      });
      await gone;
      return findSession(store, id);
    },

    async close(id, request, user) {
      for (;;) {
        const closed = await lock(id, async () => {
          if (worker.works(id)) return undefined;
          await leaveRoom(tools, id);
          await tellKept(tools, id);
          await forgetMemory(deps, id);
          const { session } = await settle(books, id, { type: "close", outcome: request.outcome });
          await timeline.append(id, { type: `session_${request.outcome}`, actor: actorOf(user) }, "completed");
          return session;
        });
        if (closed !== undefined) return closed;
        await sessions.cancel(id, { queued: true });
      }
    },

    follow: (id, after, signal) => timeline.follow(id, after, signal),
    manifest: async (id, range) => manifest(deps, await findSession(store, id), range),
    mbox: async (id, range) => mbox(deps, await findSession(store, id), range),
    bundle: async (id, range) => bundle(deps, await findSession(store, id), range),
    uncommitted: async (id) => uncommitted(deps, await findSession(store, id)),
  };
  return sessions;
}

function actorOf({ id, name, email }: UserRecord) {
  const [first, ...rest] = name.split(" ");
  return {
    id,
    first_name: first ?? null,
    last_name: rest.length === 0 ? null : rest.join(" "),
    email: email === "" ? null : email,
  };
}
