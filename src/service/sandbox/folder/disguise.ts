import { chmod, lstat, opendir, rename } from "node:fs/promises";
import { sep } from "node:path";
import type { Host } from "../../../host/host.ts";
import { isThere } from "./rescue.ts";
import { bytes, nameOf } from "./trash.ts";

/** What `.git` is called then. */
export const disguised = "git-of-the-agent";
const disguisedHead = "HEAD-of-the-agent";

type Disguiser = Pick<Host, "clock" | "random">;

/**
 * Takes every repository in a folder out of git's sight: the configuration of one that an agent made names programs that git runs
 * (core.fsmonitor, filters, hooks), and a person's `git status`, or their shell's prompt, would run them outside the sandbox. Where git
 * looks for a repository is in gitrepository-layout(5), and in its setup.c (`is_git_directory`): `.git`, or a folder that has HEAD beside
 * `objects` and `refs`, or beside `commondir`; in whatever case, for file systems that know none. No link is followed. A second call goes
 * on where a first one was killed.
 * @param patience in ms
 * @throws where not all of it could be looked through, or not in that time
 */
export async function disguise(folder: string, host: Disguiser, patience: number): Promise<void> {
  const until = host.clock.elapsed() + patience;
  const inTime = (): void => {
    if (host.clock.elapsed() > until) throw new Error(`it takes longer than ${patience / 1000} s`);
  };
  const top = Buffer.from(folder);
  // However much lies beside it.
  if (await isThere(below(top, ".git"))) await moveTo(host, top, ".git", disguised);
  const folders: Buffer[] = [top];
  for (let next = folders.pop(); next !== undefined; next = folders.pop())
    folders.push(...(await disguiseIn(host, next, inTime)));
}

/** Gives the folders in it, by the names that they have then. */
async function disguiseIn(host: Disguiser, folder: Buffer, inTime: () => void): Promise<Buffer[]> {
  // An agent can shut their own owner out.
  if (((await lstat(folder)).mode & 0o700) !== 0o700) await chmod(folder, 0o700);
  const folders: Buffer[] = [];
  const heads: Buffer[] = [];
  let hasObjects = false;
  for await (const entry of await opendir(folder, bytes)) {
    inTime();
    const name = nameOf(entry);
    const known = name.toString("latin1").toLowerCase();
    if (known === "head" && !entry.isDirectory()) heads.push(name);
    if (known === "objects" || known === "commondir") hasObjects = true;
    const path = known === ".git" ? await moveTo(host, folder, name, disguised) : below(folder, name);
    if (entry.isDirectory()) folders.push(path);
  }
  if (hasObjects) for (const head of heads) await moveTo(host, folder, head, disguisedHead);
  return folders;
}

/** Under that name, or one like it where the agent has something there. */
async function moveTo({ random }: Disguiser, folder: Buffer, name: Buffer | string, to: string): Promise<Buffer> {
  let path = below(folder, to);
  if (await isThere(path)) path = below(folder, `${to}-${Buffer.from(random(6)).toString("hex")}`);
  await rename(below(folder, name), path);
  return path;
}

function below(folder: Buffer, name: Buffer | string): Buffer {
  return Buffer.concat([folder, Buffer.from(sep), typeof name === "string" ? Buffer.from(name) : name]);
}
