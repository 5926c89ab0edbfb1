import { asFerryError } from "../../../base/errors.ts";
import { disguise, disguised } from "../../sandbox/folder/disguise.ts";
import { replaceFolder } from "../../sandbox/folder/rescue.ts";
import type { SessionsDeps } from "../deps.ts";
import { layout } from "../repository/layout.ts";

/** Which part of the time that saving may take the look for repositories may. */
const share = 1 / 4;

/**
 * Keeps a workspace that can't be brought home in the place of what was kept of an earlier turn: there is no more than one of a session,
 * however often that happens. Git sees no repository there: that would be the agent's, with programs of its own. Whoever pulls is told of
 * it until a later turn comes home. Gives the words for the timeline.
 * @param what why it can't be, in the words for whoever pulls
 */
export async function keepWorkspace(
  { host, data, limits }: Pick<SessionsDeps, "host" | "data" | "limits">,
  sessionId: string,
  from: string,
  what: string,
): Promise<string> {
  const place = layout.unsaved(data, sessionId);
  // Before it is where anybody would look.
  const unseen = await disguise(from, host, limits.saving * share).then(
    () => "",
    (error: unknown) => asFerryError(error).message,
  );
  await replaceFolder(layout.sandboxes(data), from, place, unseen !== "");
  await host.files.write(layout.left(data, sessionId), `${what}: what it did is not among these commits, and kept in ${place}`);
  const how =
    unseen === "" ? `.git is ${disguised} there` : `it is shut, mode 000: not all of it could be looked through: ${unseen}`;
  return `kept in ${place} until you remove it, or a later turn's takes its place; run no git on it: by its settings, the agent's, that may start programs (${how})`;
}
