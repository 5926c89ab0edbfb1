import { FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import type { Manifest } from "../../wire/patches.ts";
import type { PullContext } from "../context.ts";
import { readSeries } from "../series/series.ts";
import type { PatchSource } from "../source.ts";
import type { Found } from "./found.ts";

/** What the service's patch stream tells of after a commit ("" for all); its patches come later. @throws FerryError failure for a manifest that doesn't hold */
export async function findPatches(patches: PatchSource, cursor: string, { repository, request }: PullContext): Promise<Found> {
  const { manifest, isRewritten } = await readManifest(patches, cursor);
  const start = isRewritten || cursor === "" ? manifest.base_commit : cursor;
  const series = readSeries(manifest, {
    objectFormat: repository.objectFormat,
    start,
    repositoryId: request.repositoryId,
  });
  const leftBehind = manifest.left_behind === undefined ? undefined : oneLine(manifest.left_behind);
  return { source: "patches", series, isRewritten, patches, leftBehind, from: "the service's patches" };
}

/** All of it, where what came last is no longer in the session's history. */
async function readManifest(patches: PatchSource, cursor: string): Promise<{ manifest: Manifest; isRewritten: boolean }> {
  try {
    return { manifest: await patches.manifest(cursor), isRewritten: false };
  } catch (error) {
    if (!(error instanceof FerryError && error.code === "history_rewritten")) throw error;
    return { manifest: await patches.manifest(""), isRewritten: true };
  }
}
