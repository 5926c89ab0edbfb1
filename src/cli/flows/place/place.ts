import { FerryError } from "../../../base/errors.ts";
import { discoverWithHead, type Head, type Repository } from "../../../git/discover.ts";
import type { Context } from "../../context.ts";

/** The working copy that a command runs in. */
export interface Place {
  readonly repository: Repository;
  readonly head: Head;
  /** Where git is run. */
  readonly folder: string;
  /** The current branch's short name, also of an unborn one; undefined on a detached HEAD. */
  readonly branch: string | undefined;
}

/** @throws FerryError not_found outside of a repository */
export async function findPlace({ git, folder }: Context): Promise<Place> {
  const { repository, head } = await discoverWithHead(git, folder);
  const branch = head.state === "detached" ? undefined : head.ref.replace(/^refs\/heads\//u, "");
  return { repository, head, folder: repository.workTree ?? repository.gitDir, branch };
}

/** The same, or undefined outside of a repository: for commands that work everywhere. */
export async function findPlaceIfAny(context: Context): Promise<Place | undefined> {
  return unlessOutside(findPlace(context));
}

/** Undefined where what is looked for fails because there is no repository. */
export async function unlessOutside<T>(looking: Promise<T>): Promise<T | undefined> {
  try {
    return await looking;
  } catch (error) {
    if (error instanceof FerryError && error.kind === "not_found") return undefined;
    throw error;
  }
}
