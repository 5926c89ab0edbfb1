import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { FerryError } from "../../../base/errors.ts";

/** Where a sandbox lies on the host: one folder with its id as its name, and nothing of it elsewhere. */
export interface Folder {
  readonly path: string;
  /** The two folders that the agent may write; all the rest belongs to the service. */
  readonly workspace: string;
  readonly home: string;
  /** The /etc that is seen inside. */
  readonly etc: string;
  /** The filter of system calls. */
  readonly filter: string;
  /** Which container engine made its containers, where one did. */
  readonly engine: string;
  /** An empty folder: where the new root is put together before it takes the place of the old. */
  readonly root: string;
  /** Temporary files of a sandbox that has no tmpfs of its own. */
  readonly temporary: string;
  /** A file for each outermost process, by which a later service finds those that an earlier one left. */
  readonly records: string;
  /** A file that says that something is in the folder that may not be thrown away. */
  readonly kept: string;
}

/**
 * The folder of the sandbox `id` under `root`; makes nothing.
 * @throws FerryError failure where the id could lead out of `root`
 */
export function folderOf(root: string, id: string): Folder {
  if (!/^[A-Za-z0-9_-]+$/.test(id)) throw new FerryError("failure", `"${id}" is no id of a sandbox`);
  const path = join(root, id);
  return {
    path,
    workspace: join(path, "repo"),
    home: join(path, "home"),
    etc: join(path, "etc"),
    filter: join(path, "filter"),
    engine: join(path, "engine"),
    root: join(path, "root"),
    temporary: join(path, "tmp"),
    records: join(path, "processes"),
    kept: join(path, "kept"),
  };
}

/**
 * Makes the folder with all that is in it, each 0700 but what the agent's user walks through and reads, who may be another.
 * @throws FerryError failure where the sandbox is there already
 */
export async function makeFolder(root: string, id: string): Promise<Folder> {
  const folder = folderOf(root, id);
  await mkdir(root, { recursive: true, mode: 0o700 });
  try {
    await mkdir(folder.path, { mode: 0o700 });
  } catch (error) {
    throw new FerryError("failure", `the sandbox ${id} can't be made at ${folder.path}`, { cause: error });
  }
  for (const path of [folder.workspace, folder.home, folder.temporary, folder.records]) await mkdir(path, { mode: 0o700 });
  for (const path of [folder.etc, folder.root]) await mkdir(path);
  // mkdir's mode is cut by the umask, chmod's isn't.
  for (const path of [folder.path, folder.etc, folder.root]) await chmod(path, 0o755);
  return folder;
}
