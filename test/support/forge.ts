import { createHash } from "node:crypto";
import type { PatchSource } from "../../src/patch/source.ts";
import type { Manifest } from "../../src/wire/patches.ts";
import type { Scene } from "./scene.ts";

/** A series whose patches are others than the sandbox's own, with a manifest that vouches for them in all but the commits. */
export function forgedSource(
  { source, sandbox }: Pick<Scene, "source" | "sandbox">,
  diffOf: (commit: string, at: number) => string | Buffer,
): PatchSource {
  const mail = (commit: string, at: number) => makeMail(commit, Buffer.from(diffOf(commit, at) as string, "latin1"));
  return {
    ...source,
    async manifest(after): Promise<Manifest> {
      const manifest = await source.manifest(after);
      return { ...manifest, items: manifest.items.map((item, at) => ({ ...item, ...describe(mail(item.commit, at)) })) };
    },
    async *mbox(after, until) {
      const range = after === "" ? until : `${after}..${until}`;
      const commits = sandbox("rev-list", "--reverse", range).split("\n");
      for (const [at, commit] of commits.entries()) yield await Promise.resolve(mail(commit, at).bytes);
    },
  };
}

interface Forged {
  readonly bytes: Buffer;
  readonly offset: number;
}

function makeMail(commit: string, diff: Buffer): Forged {
  const header = Buffer.from(`From ${commit} Mon Sep 17 00:00:00 2001\nSubject: x\n\n---\n\n`);
  return {
    bytes: Buffer.concat([header, diff, Buffer.from("\n")]),
    offset: diff.length === 0 ? header.length + 1 : header.length,
  };
}

function describe({ bytes, offset }: Forged) {
  return { bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex"), diff_offset: offset };
}
