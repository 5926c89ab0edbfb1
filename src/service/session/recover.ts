import { asFerryError } from "../../base/errors.ts";
import { makeId } from "../../base/ids.ts";
import type { Session } from "../../wire/resources.ts";
import type { SessionsDeps } from "./deps.ts";
import type { BroughtHome } from "./repository/bring-home.ts";
import { throwAway } from "../sandbox/folder/trash.ts";
import { layout } from "./repository/layout.ts";
import { settle, type Settled, type UserMessage } from "./settle.ts";
import type { TurnTools } from "./turn/run.ts";
import { interruption } from "./turn/worker.ts";
import { salvage, takeOut } from "./workspace/salvage.ts";

type Tools = Omit<TurnTools, "rooms">;

/**
 * Puts in order what an earlier service left, however it ended: turns that were cut short are told and what they did is brought home,
 * sandboxes are swept, and what no session owns is removed. Gives the messages whose turn it is now.
 */
export async function recover(tools: Tools): Promise<{ session: Session; next: UserMessage }[]> {
  const { deps } = tools;
  const { store, driver, host } = deps;
  const active = await store.sessions.listActive();
  const taken = new Set<string>();
  for (const session of active) if ((await isCutShort(deps, session)) && (await takeOut(deps, session))) taken.add(session.id);
  for (const { id, what } of await driver.sweep(layout.sandboxes(deps.data), new Set()))
    deps.log(`swept a ${what} of sandbox ${id}`);
  await deps.gateways.sweep();
  await removeOrphans(deps);
  const settled: Settled[] = [];
  // All of it together may hold the start up no longer than one turn's saving.
  const deadline = host.clock.elapsed() + deps.limits.saving;
  for (const session of active) {
    const left = Math.max(0, deadline - host.clock.elapsed());
    const told = taken.has(session.id) ? await bringHomeOrKeep(tools, session, left) : "";
    settled.push(await recoverSession(tools, { session, told }));
  }
  return settled.flatMap(({ session, next }) => (next === undefined ? [] : [{ session, next }]));
}

async function isCutShort({ store }: SessionsDeps, { id }: Session): Promise<boolean> {
  return (await store.timeline.withStatus(id, "processing", "user_message")).length > 0;
}

/**
 * What the agent did in a turn that was cut short comes home; where it can't, it is kept as it is, and whoever pulls is told so until a
 * later turn comes home. Gives what else than the interruption is to be told; "" where there is nothing.
 */
async function bringHomeOrKeep({ deps, arrived }: Tools, session: Session, patience: number): Promise<string> {
  const { host, data } = deps;
  const taken = layout.taken(data, session.id);
  let home: BroughtHome;
  try {
    home = await salvage(deps, session, session.sandbox_id ?? makeId("sbx", host.random), patience);
  } catch (error) {
    if ((await host.files.status(taken)) === undefined) throw error;
    const place = layout.unsaved(data, session.id);
    await throwAway(layout.sandboxes(data), place);
    await host.files.rename(taken, place);
    await host.files.write(
      layout.left(data, session.id),
      `${interruption}: what it did is not among these commits, and kept in ${place}`,
    );
    return `what it did is kept in ${place} (${asFerryError(error).message})`;
  }
  await arrived(session, home);
  return home.remark;
}

async function recoverSession(
  { deps: { store }, timeline }: Tools,
  { session, told }: { session: Session; told: string },
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
      told === "" ? interruption : `${interruption}; ${told}`,
    );
  return settle({ store, timeline }, session.id, { type: "started" });
}

/** A repository without a session was made for one that was never acknowledged. */
async function removeOrphans({ store, host, data }: SessionsDeps): Promise<void> {
  for (const id of await host.files.list(layout.sessions(data))) {
    if (id.startsWith("ses_") && (await store.sessions.find(id)) === undefined) await host.files.remove(layout.session(data, id));
  }
}
