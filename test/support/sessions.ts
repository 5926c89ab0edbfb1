import { EventEmitter, once } from "node:events";
import { makeId } from "../../src/base/ids.ts";
import { Problem } from "../../src/service/problem.ts";
import type { Sessions, StreamItem } from "../../src/service/session/sessions.ts";
import type { NewEvent, SessionChange, Store } from "../../src/service/store/store.ts";
import type { SessionEvent } from "../../src/wire/event.ts";
import type { Manifest, Uncommitted } from "../../src/wire/patches.ts";
import type { Session } from "../../src/wire/resources.ts";
import type { TestClock } from "./clock.ts";
import { eventsOf } from "./events-of.ts";

/** A session engine without an agent: the test says when a turn ends and what came of it. */
export interface ScriptedSessions extends Sessions {
  /** The agent says something; the running message is completed, the next queued one taken. */
  finishTurn(sessionId: string, reply: string): Promise<void>;
  /** Something that is sent to followers and not stored. */
  tell(sessionId: string, item: StreamItem): void;
  /** How many follow now. */
  followers(): number;
  /** What it has not committed; without it every read of that is refused. */
  setUncommitted(sessionId: string, uncommitted: Uncommitted): void;
  /** What the session's commits are; without it every read of patches is refused. */
  setSeries(sessionId: string, series: Series): void;
}

export interface Series {
  readonly manifest: Manifest;
  readonly mbox: readonly Uint8Array[];
  readonly bundle: readonly Uint8Array[];
}

export function makeScriptedSessions(store: Store, clock: TestClock, random: (size: number) => Uint8Array): ScriptedSessions {
  const bell = new EventEmitter().setMaxListeners(0);
  const series = new Map<string, Series>();
  const uncommitted = new Map<string, Uncommitted>();
  let followers = 0;
  const now = () => new Date(clock.now()).toISOString();

  async function read(id: string): Promise<Session> {
    const session = await store.sessions.find(id);
    if (session === undefined) throw new Problem(404, "not_found", `there is no session ${id}`);
    return session;
  }
  async function change(id: string, fields: Omit<SessionChange, "updated_at">): Promise<Session> {
    await store.sessions.update(id, { ...fields, updated_at: now() });
    const session = await read(id);
    bell.emit(id, { type: "session", session } satisfies StreamItem);
    return session;
  }
  async function append(id: string, event: Omit<NewEvent, "id" | "at">): Promise<SessionEvent> {
    const stored = await store.timeline.append(id, { ...event, id: makeId("evt", random), at: now() });
    bell.emit(id);
    return stored;
  }
  async function settle(id: string, from: "processing" | "queued", to: SessionEvent["status"], most = Infinity): Promise<number> {
    const events = (await store.timeline.withStatus(id, from, "user_message")).slice(0, most);
    for (const event of events) await store.timeline.update(id, event.id, { status: to, at: now() });
    bell.emit(id);
    return events.length;
  }
  function seriesOf(id: string, after: string): Series {
    const known = series.get(id);
    if (known === undefined) throw new Problem(409, "no_series", "the test has set no series");
    const places = [known.manifest.base_commit, ...known.manifest.items.map(({ commit }) => commit)];
    if (after !== "" && !places.includes(after))
      throw new Problem(409, "history_rewritten", `after: is no ancestor any more; the base is ${known.manifest.base_commit}`);
    return known;
  }

  return {
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    busy: () => false,

    async create({ branch_name, auto_commit, model = "shell", repository_id, base_branch, base_commit, title, message }, user) {
      const enabled = (await store.repositories.list({})).items.filter((repository) => repository.enabled);
      const repository = repository_id === undefined ? enabled[0] : await store.repositories.find(repository_id);
      if (repository === undefined || (repository_id === undefined && enabled.length > 1))
        throw new Problem(
          422,
          "repository_required",
          "repository_id: is required, the workspace has no single enabled repository",
        );
      if (!repository.enabled) throw new Problem(409, "repository_disabled", `repository ${repository.id} is disabled`);
      const id = makeId("ses", random);
      await store.sessions.insert({
        id,
        title: title ?? message ?? "",
        workspace_id: store.workspace.id,
        user_id: user.id,
        branch_name: branch_name ?? `ferry/${id.slice(4, 12)}`,
        auto_commit,
        status: "active",
        origin: "api",
        created_at: now(),
        updated_at: now(),
        model,
        agent_status: "idle",
        repository_id: repository.id,
        ...(base_branch !== undefined && { base_branch }),
        ...(base_commit !== undefined && { base_commit }),
      });
      if (message !== undefined) await this.post(id, { message, client_id: "" }, user);
      return read(id);
    },
    async update(id, { branch_name, auto_commit, model }) {
      await read(id);
      return change(id, {
        ...(branch_name !== undefined && { branch_name }),
        ...(auto_commit !== undefined && { auto_commit }),
        ...(model !== undefined && { model }),
      });
    },
    async post(id, { message, client_id }) {
      const session = await read(id);
      if (session.status !== "active") throw new Problem(409, "session_ended", `session ${id} is ${session.status}`);
      const status = session.agent_status === "working" ? "queued" : "processing";
      const event = await append(id, { payload: { type: "user_message", message }, status, client_id });
      await change(id, { agent_status: "working" });
      return event;
    },
    async cancel(id, { queued }) {
      await read(id);
      await settle(id, "processing", "canceled");
      if (queued) await settle(id, "queued", "canceled");
      return change(id, { agent_status: (await settle(id, "queued", "processing", 1)) > 0 ? "working" : "idle" });
    },
    async close(id, { outcome }, user) {
      await read(id);
      const actor = { id: user.id, first_name: user.name, email: user.email };
      const type = outcome === "finished" ? "session_finished" : "session_closed";
      await append(id, { payload: { type, actor }, status: "completed" });
      return change(id, { status: outcome, agent_status: "stopped" });
    },

    async *follow(id, after, signal) {
      const told: StreamItem[] = [];
      const listen = (item?: StreamItem) => item !== undefined && told.push(item);
      bell.on(id, listen);
      followers += 1;
      try {
        for (let revision = after; ;) {
          const rung = once(bell, id, { signal });
          rung.catch(() => undefined);
          // What was told by now comes after what was stored by now.
          const items = told.splice(0);
          for (const event of await eventsOf(store, id, { after: revision, limit: 100 })) {
            revision = event.revision ?? revision;
            yield { type: "session_event", event };
          }
          yield* items;
          await rung;
        }
      } finally {
        bell.off(id, listen);
        followers -= 1;
      }
    },

    manifest: async (id, { after }) => seriesOf(id, after).manifest,
    async mbox(id, { after }) {
      const { manifest, mbox } = seriesOf(id, after);
      if (!manifest.mailable) throw new Problem(409, "not_mailable", manifest.reason);
      return stream(mbox);
    },
    bundle: async (id, { after }) => stream(seriesOf(id, after).bundle),

    async uncommitted(id) {
      const known = uncommitted.get(id);
      if (known === undefined) throw new Problem(409, "not_kept", "the test has set nothing");
      return known;
    },

    async finishTurn(id, reply) {
      await append(id, { payload: { type: "agent_message", message: reply }, status: "completed" });
      await settle(id, "processing", "completed");
      await change(id, { agent_status: (await settle(id, "queued", "processing", 1)) > 0 ? "working" : "idle" });
    },
    tell: (id, item) => void bell.emit(id, item),
    followers: () => followers,
    setUncommitted: (id, known) => void uncommitted.set(id, known),
    setSeries: (id, known) => void series.set(id, known),
  };
}

async function* stream(chunks: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* chunks;
}
