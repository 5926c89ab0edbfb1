import { moveFolder } from "../../sandbox/folder/rescue.ts";
import { throwAway } from "../../sandbox/folder/trash.ts";
import type { SessionsDeps } from "../deps.ts";
import { layout } from "../repository/layout.ts";

/**
 * Keeps a workspace that can't be brought home, as it is, in the place of what was kept of an earlier turn: there is no more than one of a
 * session, however often that happens. Whoever pulls is told so until a later turn comes home. Gives the words for the timeline.
 * @param what why it can't be, in the words for whoever pulls
 */
export async function keepWorkspace(
  { host, data }: Pick<SessionsDeps, "host" | "data">,
  sessionId: string,
  from: string,
  what: string,
): Promise<string> {
  const place = layout.unsaved(data, sessionId);
  await throwAway(layout.sandboxes(data), place);
  await moveFolder(from, place);
  await host.files.write(layout.left(data, sessionId), `${what}: what it did is not among these commits, and kept in ${place}`);
  return `kept in ${place} until you remove it, or a later turn's takes its place`;
}
