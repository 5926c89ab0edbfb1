import { join } from "node:path";
import type { SessionsDeps } from "../deps.ts";
import { own } from "./layout.ts";

/** Packs that a repository may have: each object is looked for in all of them. */
const most = 64;

/** Each turn brings a pack or two; when there are many, they become one. What no ref reaches any more goes. */
export async function tidy({ git, host }: Pick<SessionsDeps, "git" | "host">, gitDir: string): Promise<void> {
  const names = await host.files.list(join(gitDir, "objects", "pack"));
  if (names.filter((name) => name.endsWith(".pack")).length <= most) return;
  // -l: what lies in the mirror stays there.
  await git.ok(["repack", "--quiet", "-a", "-d", "-l"], own(gitDir));
}
