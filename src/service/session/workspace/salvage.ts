import type { Session } from "../../../wire/resources.ts";
import { folderOf } from "../../sandbox/folder/layout.ts";
import type { SessionsDeps } from "../deps.ts";
import { endAllAfter } from "../patience.ts";
import { type BroughtHome, bringHome } from "../repository/bring-home.ts";
import { layout } from "../repository/layout.ts";
import { seeChanges } from "./changes.ts";
import { gitEnvironment } from "./inside.ts";

/**
 * Takes the workspace of a turn that nobody could save out of its sandbox, before that is swept. Says whether there is one. One that is
 * taken already was on its way into a new sandbox: the service was killed there too, and that sandbox's is empty yet.
 */
export async function takeOut({ host, data }: SessionsDeps, { id, sandbox_id }: Session): Promise<boolean> {
  const taken = layout.taken(data, id);
  if ((await host.files.status(taken))?.kind === "folder") return true;
  if (sandbox_id === undefined) return false;
  const { workspace } = folderOf(layout.sandboxes(data), sandbox_id);
  if ((await host.files.status(workspace))?.kind !== "folder") return false;
  await host.files.rename(workspace, taken);
  return true;
}

/**
 * Brings home what was taken out, as if the turn had been stopped. It is the agent's, and hostile to whoever reads it without a sandbox:
 * it is put into a new one, of the same id, so that a service that is killed meanwhile finds it there again. `patience` is in ms. Where
 * it can't be done, all lies where it was taken to.
 * @throws FerryError failure with the reason
 */
export async function salvage(deps: SessionsDeps, session: Session, id: string, patience: number): Promise<BroughtHome> {
  const { driver, host, data, limits } = deps;
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
  const over = new AbortController();
  try {
    await host.files.remove(sandbox.hostWorkspace);
    await host.files.rename(taken, sandbox.hostWorkspace);
    const ending = endAllAfter(host.clock, patience, () => sandbox.killAll(), over.signal);
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
      await sandbox.killAll();
      await host.files.rename(sandbox.hostWorkspace, taken);
      throw error;
    } finally {
      over.abort();
      await ending;
    }
  } finally {
    await sandbox.destroy();
  }
}
