import { resolve } from "node:path";
import { local } from "../../../auth/address.ts";
import { FerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import { parseRemote } from "../../../git/address.ts";
import type { Context } from "../../context.ts";
import type { Connection } from "../../flows/host/connect.ts";
import { findPlace, type Place } from "../../flows/place/place.ts";
import { type Origin, readOrigin } from "./origin.ts";

/** Where the repository is that is to be registered. */
export interface Lying {
  readonly cloneUrl: string;
  /** The repository on this machine; undefined where an address was given. */
  readonly place?: Place;
  /** The remote that the address is of; undefined where the service takes the folder itself. */
  readonly origin?: Origin;
}

/**
 * What was given; else the working copy: the embedded service takes the folder itself, another one, and what fetches from a
 * platform, needs an address that it can reach.
 * @throws FerryError not_found outside of a repository, usage where a path was given that is none
 */
export async function whereItLies(
  context: Context,
  { host }: Connection,
  given: string | undefined,
  byFolder: boolean,
): Promise<Lying> {
  const takesFolder = host === local && byFolder;
  if (given !== undefined) {
    if (!takesFolder || !isPath(given)) return { cloneUrl: given };
    const place = await placeAt(context, given);
    return { cloneUrl: place.repository.commonDir, place };
  }
  const place = await findPlace(context);
  if (takesFolder) return { cloneUrl: place.repository.commonDir, place };
  const origin = await readOrigin(context, place);
  return { cloneUrl: origin.cloneUrl, place, origin };
}

/** @throws FerryError usage where the repository on this machine has no such branch */
export async function checkBranch({ git }: Context, { repository, branch }: Place, given: string | undefined): Promise<void> {
  if (given === undefined || given === branch) return;
  const ref = `refs/heads/${given}`;
  const { code } = await git.run(["show-ref", "--verify", "--quiet", "--", ref], { cwd: repository.commonDir });
  if (code !== 0)
    throw new FerryError("usage", `--default-branch ${oneLine(given)}: ${oneLine(repository.commonDir)} has no such branch`, {
      hint: "see git branch",
    });
}

/** As git-clone(1) tells a path from an address; what can't be either is left to the service to refuse. */
function isPath(url: string): boolean {
  return url !== "" && !url.startsWith("-") && !url.includes("::") && !url.includes("://") && parseRemote(url) === undefined;
}

/** git finds the repository around a folder, too, which isn't what was named. */
async function placeAt(context: Context, given: string): Promise<Place> {
  const { files } = context.host;
  const none = new FerryError("usage", `--clone-url ${oneLine(given)} is no git repository`, {
    hint: "give a repository's folder",
  });
  const folder = await files.realPath(resolve(context.folder, given));
  if (folder === undefined || (await files.status(folder))?.kind !== "folder") throw none;
  const place = await findPlace({ ...context, folder }).catch((error: unknown) => {
    throw error instanceof FerryError && error.kind === "not_found" ? none : error;
  });
  const { workTree, gitDir, commonDir } = place.repository;
  if (![workTree, gitDir, commonDir].includes(folder)) throw none;
  return place;
}
