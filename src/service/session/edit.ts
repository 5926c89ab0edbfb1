import type { ParsedBodyOf } from "../../wire/contract.ts";
import type { Session } from "../../wire/resources.ts";
import { Problem } from "../problem.ts";
import { checkBranch } from "./create.ts";
import { renameBranch } from "./repository/rename.ts";
import { leaveRoom } from "./leave.ts";
import type { TurnTools } from "./turn/run.ts";

/**
 * Changes a session. Another branch or model needs another sandbox: the next message makes it.
 * @throws Problem 400 or 422 naming the field, 409 while the agent works
 */
export async function editSession(
  tools: TurnTools,
  session: Session,
  { branch_name, auto_commit, model }: ParsedBodyOf<"updateSession">,
): Promise<Session> {
  if (model !== undefined) await tools.deps.agents.check(model);
  const branch =
    branch_name === undefined || branch_name === session.branch_name ? undefined : await checkBranch(tools.deps, branch_name);
  if (branch !== undefined || (model !== undefined && model !== session.model)) {
    if (session.agent_status === "working")
      throw new Problem(409, "agent_busy", "the agent works: branch and model stay until it is done");
    await leaveRoom(tools, session.id);
  }
  if (branch !== undefined) await renameBranch(tools.deps, session, branch);
  return tools.timeline.change(session.id, {
    ...(branch !== undefined && { branch_name: branch }),
    ...(auto_commit !== undefined && { auto_commit }),
    ...(model !== undefined && { model }),
  });
}
