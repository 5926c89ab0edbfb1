import { FerryError } from "../../base/errors.ts";
import type { SessionEvent } from "../../wire/event.ts";
import { inTransaction } from "./transaction.ts";
import type { Database, EventRow } from "./schema.ts";
import type { NewEvent, TimelineStore } from "./store.ts";

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
    async list(sessionId) {
      const rows = await db.selectFrom("events").selectAll().where("session_id", "=", sessionId).orderBy("seq").execute();
      return rows.map(toEvent);
    },
    async after(sessionId, revision, limit) {
      const rows = await db
        .selectFrom("events")
        .selectAll()
        .where("session_id", "=", sessionId)
        .where("revision", ">", revision)
        .orderBy("revision")
        .limit(limit)
        .execute();
      return rows.map(toEvent);
    },
    async withStatus(sessionId, status, type) {
      let query = db
        .selectFrom("events")
        .selectAll()
        .where("session_id", "=", sessionId)
        .where("status", "=", status)
        .orderBy("seq");
      if (type !== undefined) query = query.where("type", "=", type);
      return (await query.execute()).map(toEvent);
    },
    async revision(sessionId) {
      const row = await db.selectFrom("sessions").select("revision").where("id", "=", sessionId).executeTakeFirst();
      return row?.revision ?? 0;
    },
  };
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
