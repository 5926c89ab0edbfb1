import type { Session } from "../../wire/resources.ts";
import { folderOf } from "../sandbox/folder/layout.ts";
import type { SessionsDeps } from "./deps.ts";
import { layout } from "./repository/layout.ts";
import { settle, type Settled, type UserMessage } from "./settle.ts";
import type { Timeline } from "./timeline/timeline.ts";
import { interruption } from "./turn/worker.ts";

/**
 * Puts in order what an earlier service left, however it ended: turns that were cut short are told and their workspaces put aside,
 * sandboxes are swept, and what no session owns is removed. Gives the messages whose turn it is now.
 */
export async function recover(deps: SessionsDeps, timeline: Timeline): Promise<{ session: Session; next: UserMessage }[]> {
  const { store, driver } = deps;
  const active = await store.sessions.listActive();
  const unsaved = new Map<string, string>();
  for (const session of active) unsaved.set(session.id, await putAside(deps, session));
  for (const { id, what } of await driver.sweep(layout.sandboxes(deps.data), new Set()))
    deps.log(`swept a ${what} of sandbox ${id}`);
  await deps.gateways.sweep();
  await removeOrphans(deps);
  const settled: Settled[] = [];
  for (const session of active)
    settled.push(await recoverSession(deps, timeline, { session, unsaved: unsaved.get(session.id) ?? "" }));
  return settled.flatMap(({ session, next }) => (next === undefined ? [] : [{ session, next }]));
}

/**
 * What the agent did in a turn that is still open was never brought home, and is hostile to whoever would do that without a sandbox: it
 * is kept as it is, told in the timeline, and to whoever pulls until a later turn comes home. Gives where; "" where there is none.
 */
async function putAside({ store, host, data }: SessionsDeps, { id, sandbox_id }: Session): Promise<string> {
  if (sandbox_id === undefined || (await store.timeline.withStatus(id, "processing", "user_message")).length === 0) return "";
  const { workspace } = folderOf(layout.sandboxes(data), sandbox_id);
  if ((await host.files.status(workspace))?.kind !== "folder") return "";
  const place = layout.unsaved(data, id);
  await host.files.remove(place);
  await host.files.rename(workspace, place);
  await host.files.write(layout.left(data, id), `${interruption}: what it did is not among these commits, and kept in ${place}`);
  return place;
}

async function recoverSession(
  { store }: SessionsDeps,
  timeline: Timeline,
  { session, unsaved }: { session: Session; unsaved: string },
): Promise<Settled> {
  // Nothing happened in the session itself, so it isn't newer than before; and nobody follows it yet.
  if (session.sandbox_id !== undefined)
    await store.sessions.update(session.id, { sandbox_id: undefined, updated_at: session.updated_at });
  const open = await store.timeline.withStatus(session.id, "processing");
  for (const event of open)
    if (event.type !== "user_message") await timeline.update(session.id, event.id, { status: "canceled" });
  const cutShort = open.some((event) => event.type === "user_message");
  if (cutShort)
    await settle(
      { store, timeline },
      session.id,
      { type: "interrupted" },
      unsaved === "" ? interruption : `${interruption}; what it did is kept in ${unsaved}`,
    );
  return settle({ store, timeline }, session.id, { type: "started" });
}

/** A repository without a session was made for one that was never acknowledged. */
async function removeOrphans({ store, host, data }: SessionsDeps): Promise<void> {
  for (const id of await host.files.list(layout.sessions(data))) {
    if (id.startsWith("ses_") && (await store.sessions.find(id)) === undefined) await host.files.remove(layout.session(data, id));
  }
}
