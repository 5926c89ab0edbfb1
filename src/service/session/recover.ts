import { asFerryError } from "../../base/errors.ts";
import type { Session } from "../../wire/resources.ts";
import type { SessionsDeps } from "./deps.ts";
import { folderOf } from "../sandbox/folder/layout.ts";
import { throwAway } from "../sandbox/folder/trash.ts";
import { layout } from "./repository/layout.ts";
import { findSession, settle, type Settled, type UserMessage } from "./settle.ts";
import type { TurnTools } from "./turn/run.ts";
import { interruption } from "./turn/worker.ts";
import { keepWorkspace } from "./workspace/keep.ts";
import { isTaken, salvage, takeOut } from "./workspace/salvage.ts";

type Tools = Omit<TurnTools, "rooms">;

/**
 * Puts in order what an earlier service left, however it ended: turns that were cut short are told and what they did is brought home,
 * sandboxes are swept, and what no session owns is removed. Gives the messages whose turn it is now.
 */
export async function recover(tools: Tools): Promise<{ session: Session; next: UserMessage }[]> {
  const { deps } = tools;
  const { store, host } = deps;
  const active = await store.sessions.listActive();
  const troubles = await sweep(deps, active);
  await deps.gateways.sweep();
  await removeOrphans(deps);
  const settled: Settled[] = [];
  // All of it together may hold the start up no longer than one turn's saving.
  const deadline = host.clock.elapsed() + deps.limits.saving;
  for (const session of active) {
    const left = Math.max(0, deadline - host.clock.elapsed());
    try {
      const told = troubles.get(session.id) ?? (await bringHomeOrKeep(tools, session, left));
      settled.push(await recoverSession(tools, { session, told }));
    } catch (error) {
      // It stays this session's: the next start tries again.
      deps.log(`session ${session.id}: it can't be recovered: ${asFerryError(error).message}`);
    }
  }
  return settled.flatMap(({ session, next }) => (next === undefined ? [] : [{ session, next }]));
}

/**
 * Ends what an earlier service left running, takes the workspaces of turns that were cut short out, and throws the sandboxes away. Gives,
 * for each session whose workspace can't be taken out, what is to be told of it.
 */
async function sweep(deps: SessionsDeps, active: readonly Session[]): Promise<Map<string, string>> {
  const troubles = new Map<string, string>();
  const cutShort: Session[] = [];
  for (const session of active) if (await isCutShort(deps, session)) cutShort.push(session);
  const root = layout.sandboxes(deps.data);
  const { swept, left } = await deps.driver.sweep(root, new Set(), async (id) => {
    const session = cutShort.find(({ sandbox_id }) => sandbox_id === id);
    if (session === undefined) return;
    try {
      await takeOut(deps, session, id);
    } catch (error) {
      troubles.set(session.id, stays(folderOf(root, id).workspace, asFerryError(error).message));
      throw error;
    }
  });
  for (const { id, what } of swept) deps.log(`swept a ${what} of sandbox ${id}`);
  for (const line of left) deps.log(`not swept: ${line}`);
  return troubles;
}

async function isCutShort({ store }: SessionsDeps, { id }: Session): Promise<boolean> {
  return (await store.timeline.withStatus(id, "processing", "user_message")).length > 0;
}

/** That nothing more could be done with what lies there. */
function stays(path: string, reason: string): string {
  return `what it did can't be saved, and stays in ${path} (${reason})`;
}

/**
 * What was taken out comes home; where it can't, it is kept as it is. Gives what else than the interruption is to be told; "" where there
 * is nothing.
 */
async function bringHomeOrKeep({ deps, arrived, timeline }: Tools, session: Session, patience: number): Promise<string> {
  if (!(await isTaken(deps, session))) return "";
  if (!(await isCutShort(deps, session))) {
    // An earlier start could do nothing with it. The session may have gone on since, so it is no part of it any more.
    await timeline.say(session.id, await keep(deps, session, "it was left by an earlier start"));
    return "";
  }
  try {
    const home = await salvage(deps, session, patience);
    await arrived(session, home);
    return home.whole ? home.remark : await keep(deps, session, home.remark);
  } catch (error) {
    deps.log(`session ${session.id}: what it did can't be brought home: ${asFerryError(error).message}`);
    return keep(deps, session, asFerryError(error).message);
  }
}

/** Keeps what could not be brought home where the user finds it, and says where that is; also where it can't be moved from where it lies. */
async function keep(deps: SessionsDeps, { id }: Session, reason: string): Promise<string> {
  const { data, host, store } = deps;
  const taken = layout.taken(data, id);
  const { sandbox_id = "none" } = await findSession(store, id);
  const { workspace } = folderOf(layout.sandboxes(data), sandbox_id);
  try {
    if ((await host.files.status(taken)) !== undefined)
      return `what it did is ${await keepWorkspace(deps, id, taken, interruption)} (${reason})`;
    return (await host.files.status(workspace)) === undefined ? reason : stays(workspace, reason);
  } catch (error) {
    return stays(taken, `${reason}; ${asFerryError(error).message}`);
  }
}

async function recoverSession(
  { deps: { store }, timeline }: Tools,
  { session, told }: { session: Session; told: string },
): Promise<Settled> {
  // Nothing happened in the session itself, so it isn't newer than before; and nobody follows it yet.
  if ((await findSession(store, session.id)).sandbox_id !== undefined)
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
async function removeOrphans({ store, host, data, log }: SessionsDeps): Promise<void> {
  for (const id of await host.files.list(layout.sessions(data))) {
    if (id.startsWith("ses_") && (await store.sessions.find(id)) === undefined)
      await throwAway(layout.sandboxes(data), layout.session(data, id)).catch((error: unknown) =>
        log(`not removed: session ${id}, which never was: ${asFerryError(error).message}`),
      );
  }
}
