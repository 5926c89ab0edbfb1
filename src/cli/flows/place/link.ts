import { join } from "node:path";
import { readBranchLinks, removeBranchLink, writeBranchLink, type BranchLink, type ConfigPlace } from "../../../git/config.ts";
import type { Context } from "../../context.ts";
import { findPlace, type Place, unlessOutside } from "./place.ts";

/** The working copy that a command runs in, and the session that its branch, or while it lasts its detached HEAD, belongs to. */
export interface LinkedPlace {
  readonly place: Place;
  readonly link: BranchLink | undefined;
}

/** Both are asked for at once. @throws FerryError as findPlace does, failure for a configuration that git can't read */
export async function findLinked(context: Context): Promise<LinkedPlace> {
  const links = readBranchLinks(context.git, context.folder);
  // Where both fail, what is said of the place counts.
  links.catch(() => undefined);
  const place = await findPlace(context);
  return { place, link: await linkOf(context, place, await links) };
}

/** The same, or undefined outside of a repository: for commands that work everywhere. */
export async function findLinkedIfAny(context: Context): Promise<LinkedPlace | undefined> {
  return unlessOutside(findLinked(context));
}

async function linkOf(
  context: Context,
  place: Place,
  links: (branch: string) => BranchLink | undefined,
): Promise<BranchLink | undefined> {
  if (place.branch !== undefined) {
    await forgetDetached(context, place);
    return links(place.branch);
  }
  const [session = "", host = ""] = ((await context.host.files.readText(detachedLink(place))) ?? "").split("\n");
  return session === "" ? undefined : { session, host: host === "" ? undefined : host };
}

/** In place of an earlier link. */
export async function writeLink(context: Context, place: Place, link: BranchLink): Promise<void> {
  if (place.branch !== undefined) await writeBranchLink(configPlace(context, place), place.branch, link);
  else await context.host.files.write(detachedLink(place), `${link.session}\n${link.host ?? ""}\n`);
}

/** None there is fine. */
export async function removeLink(context: Context, place: Place): Promise<void> {
  if (place.branch !== undefined) await removeBranchLink(configPlace(context, place), place.branch);
  else await context.host.files.remove(detachedLink(place));
}

function configPlace({ git, host }: Context, { folder }: Place): ConfigPlace {
  return { git, cwd: folder, clock: host.clock };
}

/** What a detached HEAD was linked to, once HEAD is on a branch again: the next one that is detached is another. */
async function forgetDetached({ host }: Context, place: Place): Promise<void> {
  const path = detachedLink(place);
  // Where it can't be written, it is read only to be left.
  if ((await host.files.readText(path)) !== undefined) await host.files.remove(path).catch(() => undefined);
}

/** A detached HEAD has no name to keep it under, so it lies beside the HEAD that it is of. */
function detachedLink({ repository }: Place): string {
  return join(repository.gitDir, "ferry", "link");
}
