import { dirname, join } from "node:path";
import { UnwritableError } from "../base/errors.ts";
import type { Files } from "../host/host.ts";
import { type LockHost, withLock } from "./lock.ts";

/** What is tried: the text is what would be written, or as long as that. `patience`: how long another ferry may hold the file, in ms. */
interface Trial {
  readonly text: () => Promise<string>;
  readonly patience: number;
}

/**
 * Whether a file that writers hold the lock beside it for could be written: that much is written beside it, read back and removed. What is
 * there stays as it is, and nothing is left; where not even its folder is there, that is tried above it and none is made.
 * @throws FerryError failure, an UnwritableError that names the file, or the folder that can't be made; unavailable where another ferry
 * holds it
 */
export async function tryWriting(host: LockHost, path: string, { text, patience }: Trial): Promise<void> {
  const missing = await outermostMissing(host.files, dirname(path));
  if (missing !== undefined) return tryMaking(host, missing, await text());
  const trial = async (): Promise<void> => {
    // Those who keep their settings elsewhere leave a link. Named as what a writer leaves that is killed, so that this is put away like that.
    await tryFile(host.files, `${await host.files.target(path)}.${unusual(host)}`, await text());
  };
  // Where something else is in its place, that is in the way and not what would lie in it.
  await host.files.makeFolder(dirname(path));
  await withLock(host, `${path}.lock`, patience, trial).catch(rename(path));
}

/** The first folder that would have to be made. */
async function outermostMissing(files: Files, folder: string): Promise<string | undefined> {
  if ((await files.status(folder)) !== undefined) return undefined;
  const above = dirname(folder);
  return above === folder ? folder : ((await outermostMissing(files, above)) ?? folder);
}

/** In a folder of its own: one with the name that is missing might be another's by the time that it is removed. */
async function tryMaking(host: LockHost, missing: string, text: string): Promise<void> {
  const folder = join(dirname(missing), `.ferry-${unusual(host)}`);
  try {
    await host.files.makeFolder(folder);
    await tryFile(host.files, join(folder, "trial"), text);
  } catch (error) {
    rename(missing)(error);
  } finally {
    await host.files.remove(folder);
  }
}

async function tryFile(files: Files, path: string, text: string): Promise<void> {
  try {
    await files.append(path, text);
    if ((await files.readText(path)) !== text)
      throw new UnwritableError(path, new Error("what is written there is not what is read"));
  } finally {
    await files.remove(path);
  }
}

/** So that people read of what they know, and not of what is made and removed for it. */
function rename(path: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof UnwritableError ? new UnwritableError(path, error.cause) : error;
  };
}

function unusual({ random }: LockHost): string {
  return Buffer.from(random(6)).toString("hex");
}
