import { stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { agent } from "../environment.ts";
import { builderFor } from "../namespaces/builder.ts";
import type { Engine } from "./engine.ts";

/** Who the agent is in its containers. */
export interface User {
  readonly uid: number;
  readonly gid: number;
  readonly options: readonly string[];
  /** Gives the agent's files to it; follows no link. */
  readonly own: (paths: readonly string[]) => Promise<void>;
}

/**
 * For a service that is root a user of the sandbox's own, who owns nothing but workspace and home. For an ordinary one itself, since it
 * can give its files to nobody else: by podman under the same number inside; by a docker without root as root inside, which is
 * that user outside, without any of root's rights.
 */
export async function userFor(engine: Engine, id: string): Promise<User> {
  const root = await stat("/proc/self").then(
    ({ uid }) => uid === 0,
    () => false,
  );
  if (root) {
    const builder = await builderFor(id);
    const uid = builder.uid ?? 0;
    return { uid, gid: uid, options: [], own: (paths) => builder.own(paths) };
  }
  const nothing = (): Promise<void> => Promise.resolve();
  if (engine.rootless && engine.kind === "docker") return { uid: 0, gid: 0, options: [], own: nothing };
  const { uid, gid } = userInfo();
  // Windows has no such numbers.
  const user = uid < 0 ? { uid: agent.uid, gid: agent.uid } : { uid, gid };
  return { ...user, options: engine.rootless ? ["--userns=keep-id"] : [], own: nothing };
}
