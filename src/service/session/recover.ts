import type { Session } from "../../wire/resources.ts";
import type { SessionsDeps } from "./deps.ts";
import { layout } from "./repository/layout.ts";
import { settle, type Settled, type UserMessage } from "./settle.ts";
import type { Timeline } from "./timeline/timeline.ts";
import { interruption } from "./turn/worker.ts";

/**
 * Puts in order what an earlier service left, however it ended: sandboxes are swept, turns that were cut short are told, and what
 * no session owns is removed. Gives the messages whose turn it is now.
 */
export async function recover(deps: SessionsDeps, timeline: Timeline): Promise<{ session: Session; next: UserMessage }[]> {
  const { store, driver } = deps;
  for (const { id, what } of await driver.sweep(layout.sandboxes(deps.data), new Set()))
    deps.log(`swept a ${what} of sandbox ${id}`);
  await deps.gateways.sweep();
  await removeOrphans(deps);
  const settled: Settled[] = [];
  for (const session of await store.sessions.listActive()) settled.push(await recoverSession(deps, timeline, session));
  return settled.flatMap(({ session, next }) => (next === undefined ? [] : [{ session, next }]));
}

async function recoverSession({ store }: SessionsDeps, timeline: Timeline, session: Session): Promise<Settled> {
  // Nothing happened in the session itself, so it isn't newer than before; and nobody follows it yet.
  if (session.sandbox_id !== undefined)
    await store.sessions.update(session.id, { sandbox_id: undefined, updated_at: session.updated_at });
  const open = await store.timeline.withStatus(session.id, "processing");
  for (const event of open)
    if (event.type !== "user_message") await timeline.update(session.id, event.id, { status: "canceled" });
  const cutShort = open.some((event) => event.type === "user_message");
  if (cutShort) await settle({ store, timeline }, session.id, { type: "interrupted" }, interruption);
  return settle({ store, timeline }, session.id, { type: "started" });
}

/** A repository without a session was made for one that was never acknowledged. */
async function removeOrphans({ store, host, data }: SessionsDeps): Promise<void> {
  for (const id of await host.files.list(layout.sessions(data))) {
    if (id.startsWith("ses_") && (await store.sessions.find(id)) === undefined) await host.files.remove(layout.session(data, id));
  }
}
