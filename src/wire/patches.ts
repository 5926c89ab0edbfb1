import { z } from "zod";
import type { Known } from "./known.ts";

/** One commit of a session's series. Everything git needs to rebuild it byte for byte. */
export const manifestItem = z.looseObject({
  /** Counts from 1 within the session. */
  sequence: z.number().int().min(1),
  commit: z.string(),
  parents: z.array(z.string()),
  tree: z.string(),
  /** Base64 of the commit object's content, without git's header. */
  raw: z.string(),
  subject: z.string(),
  /** Raw diff-tree records, e.g. `:100644 100644 <old> <new> M\tpath`, paths quoted as git does without -z. */
  changes: z.array(z.string()),
  /** Length of the message in the mbox, its `From ` line included. */
  bytes: z.number().int().min(0),
  /** Hex of the message's sha256, its `From ` line included. */
  sha256: z.string(),
  /** Where in the message the diff starts, in bytes; equal to `bytes` where there is none. */
  diff_offset: z.number().int().min(0),
});

/** `GET …/patches` as JSON: what the mbox of the same range holds, so that it can be checked. */
export const manifest = z.looseObject({
  repository_id: z.string(),
  object_format: z.string(),
  /** "" for an unborn base. */
  base_commit: z.string(),
  head_commit: z.string(),
  /** False where the series can't be mail (merges); `reason` says why. */
  mailable: z.boolean(),
  reason: z.string(),
  /** Commits that are in the sandbox and can't come home, a sentence; absent where there are none. Ours. */
  left_behind: z.string().optional(),
  items: z.array(manifestItem),
  next_cursor: z.string(),
});

/** `GET …/uncommitted`: what the workspace holds beyond the session's newest commit. */
export const uncommitted = z.looseObject({
  /** The session's newest commit, which the patch is on top of: the manifest's `head_commit`. */
  base_commit: z.string(),
  /** The tree of the workspace; that commit's own where nothing is uncommitted. */
  tree: z.string(),
  /** Base64 of git's diff from the one to the other (`-p --binary --full-index --no-renames`); "" where they are the same. */
  patch: z.string(),
  /** When the workspace was looked at: the end of the last turn. Ours. */
  as_of: z.string(),
});

export type Uncommitted = Known<z.infer<typeof uncommitted>>;
export type ManifestItem = Known<z.infer<typeof manifestItem>>;
export type Manifest = Omit<Known<z.infer<typeof manifest>>, "items"> & { items: ManifestItem[] };
