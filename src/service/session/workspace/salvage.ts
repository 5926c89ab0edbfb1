import { asFerryError, FerryError } from "../../../base/errors.ts";
import { makeId } from "../../../base/ids.ts";
import type { Session } from "../../../wire/resources.ts";
import type { Sandbox } from "../../sandbox/driver.ts";
import { folderOf } from "../../sandbox/folder/layout.ts";
import { moveFolder } from "../../sandbox/folder/rescue.ts";
import type { SessionsDeps } from "../deps.ts";
import { endAllAfter } from "../../patience.ts";
import { type BroughtHome, bringHome } from "../repository/bring-home.ts";
import { layout } from "../repository/layout.ts";
import { seeChanges } from "./changes.ts";
import { gitEnvironment } from "./inside.ts";

/**
 * Takes the workspace of a turn that nobody could save out of its sandbox, before that is swept. One that is taken already was on its way
 * into a new sandbox: the service was killed there too, and that sandbox's is empty yet.
 */
export async function takeOut(deps: SessionsDeps, session: Session, sandboxId: string): Promise<void> {
  const { workspace } = folderOf(layout.sandboxes(deps.data), sandboxId);
  if (await isTaken(deps, session)) return;
  if ((await deps.host.files.status(workspace))?.kind === "folder")
    await moveFolder(workspace, layout.taken(deps.data, session.id));
}

/** Whether a workspace of it is on its way home. */
export async function isTaken({ host, data }: SessionsDeps, { id }: Session): Promise<boolean> {
  return (await host.files.status(layout.taken(data, id)))?.kind === "folder";
}

/**
 * Brings home what was taken out, as if the turn had been stopped. It is the agent's, and hostile to whoever reads it without a sandbox:
 * it is put into a new one, which the session has from then on, so that a service that is killed meanwhile finds it there again. `patience`
 * is in ms. Where it can't be done, or not all came, all lies where it was taken to; or, where not even that can be done, in that sandbox,
 * which stays.
 * @throws FerryError failure with the reason
 */
export async function salvage(deps: SessionsDeps, session: Session, patience: number): Promise<BroughtHome> {
  const { driver, host, data, limits, store } = deps;
  const id = makeId("sbx", host.random);
  await store.sessions.update(session.id, { sandbox_id: id, updated_at: session.updated_at });
  const taken = layout.taken(data, session.id);
  const [agent = ""] = session.model.split(":", 1);
  const sandbox = await driver.create({
    id,
    root: layout.sandboxes(data),
    mounts: [],
    sockets: [],
    env: gitEnvironment(agent),
    limits: limits.sandbox,
  });
  let home: BroughtHome | undefined;
  try {
    await host.files.remove(sandbox.hostWorkspace);
    await moveFolder(taken, sandbox.hostWorkspace);
    home = await bringHomeWithin(deps, session, sandbox, patience);
    return home;
  } finally {
    const rescue = async (): Promise<void> => {
      if (home?.whole !== true) await takeOut(deps, session, id);
    };
    await sandbox.destroy(rescue).catch((error: unknown) => deps.log(`session ${session.id}: ${asFerryError(error).message}`));
  }
}

async function bringHomeWithin(deps: SessionsDeps, session: Session, sandbox: Sandbox, patience: number): Promise<BroughtHome> {
  const over = new AbortController();
  const late = new AbortController();
  const end = (): Promise<void> => {
    late.abort();
    // What can't be ended is told by the sandbox's end.
    return sandbox.killAll().catch((error: unknown) => deps.log(asFerryError(error).message));
  };
  const ending = endAllAfter(deps.host.clock, patience, end, over.signal);
  try {
    const { tree } = await seeChanges(sandbox, "", session.repository_id ?? "");
    return await bringHome(deps, sandbox, tree, {
      sessionId: session.id,
      branch: session.branch_name,
      base: session.base_commit ?? "",
      head: session.head_commit ?? "",
      obstacle: "",
    });
  } catch (error) {
    if (!late.signal.aborted) throw error;
    throw new FerryError("failure", `there was no time: it took longer than ${(patience / 1000).toFixed(1)} s`, { cause: error });
  } finally {
    over.abort();
    await ending;
  }
}
