import { createHash } from "node:crypto";
import { modes } from "../../../git/records.ts";
import { applyBinary } from "./binary.ts";
import type { Contents } from "./contents.ts";
import { type Cursor, Unreadable } from "./cursor.ts";
import { type Effects, isZero } from "./effects.ts";
import { type Header, readHeader } from "./header.ts";
import { applyHunks } from "./hunks.ts";

/** A commit's diff as it is read, and what its patches did so far. */
export interface Reading {
  readonly diff: Cursor;
  readonly contents: Pick<Contents, "read">;
  readonly format: "sha1" | "sha256";
  readonly effects: Effects;
  /** Bytes of one file at most. */
  readonly limit: number;
}

export interface Made {
  readonly id: string;
  readonly content: Buffer;
}

/** Reads one file's patch, applies it, and gives the content that it makes; undefined where it makes none. @throws Unreadable */
export async function readFilePatch(reading: Reading): Promise<Made | undefined> {
  const { diff, format, effects } = reading;
  const header = readHeader(diff, format === "sha1" ? 40 : 64);
  note(header, effects);
  const { ids, kind } = header;
  if (ids === undefined) {
    if (header.hasHunks || diff.startsWith("GIT binary patch") || kind === "add" || kind === "delete")
      throw new Unreadable("content without ids");
    return undefined;
  }
  const content = await apply(header, ids, reading);
  if (kind === "delete") {
    if (content.length > 0 || !isZero(ids.new)) throw new Unreadable("a file that goes and leaves something");
    return undefined;
  }
  if (header.newMode === modes.gitlink) {
    if (!content.equals(gitlinkText(ids.new))) throw new Unreadable("a submodule's commit");
    return undefined;
  }
  if (hashBlob(content, format) !== ids.new) throw new Unreadable("its content isn't that of its id");
  return { id: ids.new, content };
}

async function apply(header: Header, ids: { old: string; new: string }, reading: Reading): Promise<Buffer> {
  const { diff, contents, limit } = reading;
  if ((header.kind === "add") !== isZero(ids.old)) throw new Unreadable("a file from nothing");
  const isLink = header.oldMode === modes.gitlink;
  const old = isZero(ids.old) ? Buffer.alloc(0) : isLink ? gitlinkText(ids.old) : await contents.read(ids.old);
  if (diff.startsWith("GIT binary patch")) {
    if (header.hasHunks) throw new Unreadable("text and binary in one");
    return applyBinary(diff, old, limit);
  }
  // An empty file comes and goes without a hunk.
  if (header.hasHunks !== diff.startsWith("@@ -") || (!header.hasHunks && old.length > 0))
    throw new Unreadable("names without a hunk");
  return header.hasHunks ? applyHunks(diff, old) : old;
}

function note({ kind, from, to, oldMode, newMode, ids }: Header, effects: Effects): void {
  if (kind === "change" || kind === "delete" || kind === "rename") effects.takes(from, { mode: oldMode, id: ids?.old });
  if (kind !== "delete") effects.makes(to, { mode: newMode, id: ids?.new });
}

function gitlinkText(id: string): Buffer {
  return Buffer.from(`Subproject commit ${id}\n`, "latin1");
}

function hashBlob(content: Buffer, format: "sha1" | "sha256"): string {
  return createHash(format).update(`blob ${content.length}\0`).update(content).digest("hex");
}
