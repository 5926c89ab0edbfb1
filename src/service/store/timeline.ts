import { sql } from "kysely";
import { FerryError } from "../../base/errors.ts";
import type { SessionEvent } from "../../wire/event.ts";
import { inTransaction } from "./transaction.ts";
import type { Database, EventRow } from "./schema.ts";
import type { NewEvent, TimelinePart, TimelineStore } from "./store.ts";

/** What of a timeline is in memory at once: so many events, and so many bytes of their payloads, or a larger one alone. */
const page = { events: 500, bytes: 4 * 1024 * 1024 };

export function makeTimelineStore(db: Database): TimelineStore {
  return {
    append: (sessionId, event) =>
      inTransaction(db, async (trx) => (await findRepeated(trx, sessionId, event)) ?? (await insert(trx, sessionId, event))),
    update: (sessionId, eventId, { status, payload, at }) =>
      inTransaction(db, async (trx) => {
        const known = trx.selectFrom("events").select("id").where("session_id", "=", sessionId).where("id", "=", eventId);
        if ((await known.executeTakeFirst()) === undefined) return undefined;
        const row = await trx
          .updateTable("events")
          .set({
            ...(status !== undefined && { status }),
            ...(payload !== undefined && { payload: JSON.stringify(payload), type: payload.type }),
            revision: await nextRevision(trx, sessionId),
            updated_at: at,
          })
          .where("session_id", "=", sessionId)
          .where("id", "=", eventId)
          .returningAll()
          .executeTakeFirstOrThrow();
        return toEvent(row);
      }),
    pages: (sessionId, part) => readPages(db, sessionId, part),
    async withStatus(sessionId, status, type) {
      const all = db.selectFrom("events").selectAll().where("session_id", "=", sessionId).where("status", "=", status);
      const rows = await (type === undefined ? all : all.where("type", "=", type)).execute();
      // Sorted here: for the sake of that order SQLite would read the whole timeline, and not the index of the states.
      return rows.sort((one, other) => one.seq - other.seq).map(toEvent);
    },
    async revision(sessionId) {
      const row = await db.selectFrom("sessions").select("revision").where("id", "=", sessionId).executeTakeFirst();
      return row?.revision ?? 0;
    },
  };
}

/** Looks first at how large the next events are: SQLite and PostgreSQL know that without reading them. */
async function* readPages(
  db: Database,
  sessionId: string,
  { after, limit = Infinity, type }: TimelinePart = {},
): AsyncGenerator<SessionEvent[]> {
  const column = after === undefined ? "seq" : "revision";
  let seen = after ?? 0;
  for (let left = limit; left > 0;) {
    const behind = db
      .selectFrom("events")
      .where("session_id", "=", sessionId)
      .$if(type !== undefined, (all) => all.where("type", "=", type ?? "user_message"))
      .where(column, ">", seen)
      .orderBy(column);
    const size = sql<number>`octet_length(payload)`.as("size");
    const ahead = await behind.select([column, size]).limit(Math.min(left, page.events)).execute();
    let bytes = 0;
    const fitting = ahead.filter((row, at) => (bytes += row.size) <= page.bytes || at === 0);
    const last = fitting.at(-1)?.[column];
    if (last === undefined) return;
    // One that was changed since has gone on to a later revision.
    const rows = await behind.selectAll().where(column, "<=", last).execute();
    yield rows.map(toEvent);
    left -= rows.length;
    seen = last;
  }
}

async function findRepeated(trx: Database, sessionId: string, event: NewEvent): Promise<SessionEvent | undefined> {
  if (event.payload.type !== "user_message" || (event.client_id ?? "") === "") return undefined;
  const row = await trx
    .selectFrom("events")
    .selectAll()
    .where("session_id", "=", sessionId)
    .where("client_id", "=", event.client_id ?? "")
    .where("type", "=", "user_message")
    .executeTakeFirst();
  return row && toEvent(row);
}

async function insert(trx: Database, sessionId: string, event: NewEvent): Promise<SessionEvent> {
  const revision = await nextRevision(trx, sessionId);
  const row: EventRow = {
    session_id: sessionId,
    seq: revision,
    revision,
    id: event.id,
    type: event.payload.type,
    payload: JSON.stringify(event.payload),
    status: event.status,
    client_id: event.client_id ?? "",
    created_at: event.at,
    updated_at: event.at,
  };
  await trx.insertInto("events").values(row).execute();
  return toEvent(row);
}

async function nextRevision(trx: Database, sessionId: string): Promise<number> {
  const row = await trx
    .updateTable("sessions")
    .set(({ eb }) => ({ revision: eb("revision", "+", 1) }))
    .where("id", "=", sessionId)
    .returning("revision")
    .executeTakeFirst();
  if (row === undefined) throw new FerryError("not_found", `there is no session ${sessionId} to write an event to`);
  return row.revision;
}

function toEvent({ id, session_id, type, payload, status, client_id, created_at, updated_at, revision }: EventRow): SessionEvent {
  const goal = { session_goal_id: "", session_task_id: "" };
  const event = {
    id,
    session_id,
    type,
    payload: JSON.parse(payload) as unknown,
    status,
    client_id,
    ...goal,
    created_at,
    updated_at,
    revision,
  };
  return event as SessionEvent;
}
