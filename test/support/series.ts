import { createHash } from "node:crypto";
import { FerryError } from "../../src/base/errors.ts";
import type { PatchSource } from "../../src/patch/source.ts";
import type { Manifest, ManifestItem } from "../../src/wire/patches.ts";
import { gitBytes } from "./git.ts";

export interface Sandbox {
  /** The sandbox's repository on disk. */
  readonly folder: string;
  readonly branch: string;
  /** The commit that the session started at; "" for none. */
  readonly base: string;
}

const formatPatch =
  "format-patch --stdout -p --binary --full-index --no-renames -k --always --pretty=mboxrd --no-stat --no-signature --no-base --no-cover-letter -U3".split(" ");

/**
 * The server's side of the wire, a second time: manifest, mbox and bundle of a repository on disk, made with the command line
 * that wire.md gives. `calls` counts what was asked for.
 */
export function sandboxSource(sandbox: Sandbox): PatchSource & { readonly calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    async manifest(after) {
      calls.push(`manifest ${after}`);
      return Promise.resolve(makeManifest(sandbox, after));
    },
    mbox(after, until) {
      calls.push(`mbox ${after} ${until}`);
      return inPieces(makeMbox(sandbox, after, until));
    },
    bundle(after, until) {
      calls.push(`bundle ${after} ${until}`);
      const ref = `refs/ferry-test/${until}`;
      gitBytes(sandbox.folder, ["update-ref", ref, until]);
      return inPieces(gitBytes(sandbox.folder, ["bundle", "create", "-q", "-", ref, ...(after === "" ? [] : [`^${after}`])]));
    },
  };
}

/** A source whose manifest or mbox is changed on the way. */
export function tamperedSource(
  sandbox: Sandbox,
  change: { manifest?: (manifest: Manifest) => Manifest; mbox?: (mbox: Buffer) => Buffer },
): PatchSource {
  const honest = sandboxSource(sandbox);
  return {
    manifest: async (after) => (change.manifest ?? ((same: Manifest) => same))(await honest.manifest(after)),
    mbox: (after, until) => inPieces((change.mbox ?? ((same: Buffer) => same))(makeMbox(sandbox, after, until))),
    bundle: (after, until) => honest.bundle(after, until),
  };
}

export function makeManifest({ folder, branch, base }: Sandbox, after: string): Manifest {
  const run = (args: readonly string[]) => gitBytes(folder, args).toString("latin1");
  const start = after === "" ? base : after;
  const head = run(["rev-parse", branch]).trim();
  if (after !== "" && run(["merge-base", after, head]).trim() !== after)
    throw new FerryError("failure", "the session's history was rewritten", { code: "history_rewritten" });
  const range = start === "" ? [head] : [head, `^${start}`];
  const commits = lines(run(["rev-list", "--reverse", "--topo-order", ...range]));
  const done = start === "" || base === start ? 0 : lines(run(["rev-list", start, ...(base === "" ? [] : [`^${base}`])])).length;
  const mails = merges(folder, commits) ? [] : splitMbox(makeMbox({ folder, branch, base }, after, head), commits);
  const items = commits.map((commit, at) => makeItem(folder, commit, { sequence: done + at + 1, mail: mails[at] ?? Buffer.alloc(0) }));
  const mailable = !merges(folder, commits);
  return {
    repository_id: "rep_1",
    object_format: run(["rev-parse", "--show-object-format"]).trim(),
    base_commit: base,
    head_commit: head,
    mailable,
    reason: mailable ? "" : "the series has merges",
    items,
    next_cursor: "",
  };
}

function makeItem(folder: string, commit: string, { sequence, mail }: { sequence: number; mail: Buffer }): ManifestItem {
  const raw = gitBytes(folder, ["cat-file", "commit", commit]);
  const header = raw.subarray(0, raw.indexOf("\n\n")).toString("latin1").split("\n");
  const tree = header[0]?.slice(5) ?? "";
  const parents = header.filter((line) => line.startsWith("parent ")).map((line) => line.slice(7));
  const changes = gitBytes(folder, ["diff-tree", "-r", "--root", "--raw", "--no-renames", "--no-abbrev", "--no-commit-id", commit]);
  const diff = diffOffset(folder, commit, mail);
  return {
    sequence,
    commit,
    parents,
    tree,
    raw: raw.toString("base64"),
    subject: gitBytes(folder, ["show", "-s", "--format=%s", commit]).toString("utf8").trimEnd(),
    changes: lines(changes.toString("utf8")),
    bytes: mail.length,
    sha256: createHash("sha256").update(mail).digest("hex"),
    diff_offset: diff,
  };
}

/** The diff as git makes it alone is what the mail ends with. */
function diffOffset(folder: string, commit: string, mail: Buffer): number {
  const diff = gitBytes(folder, ["diff-tree", "-p", "--root", "--binary", "--full-index", "--no-renames", "-U3", "--no-commit-id", commit]);
  if (diff.length === 0) return mail.length;
  return mail.lastIndexOf(diff.subarray(0, -1));
}

function merges(folder: string, commits: readonly string[]): boolean {
  return commits.length > 0 && gitBytes(folder, ["rev-list", "--no-walk", "--merges", ...commits]).length > 0;
}

/** Each message from its `From <commit>` line to the next one's. */
function splitMbox(mbox: Buffer, commits: readonly string[]): Buffer[] {
  const starts = commits.map((commit) => mbox.indexOf(`From ${commit} Mon Sep 17 00:00:00 2001\n`));
  return starts.map((start, at) => mbox.subarray(start, starts[at + 1] ?? mbox.length));
}

export function makeMbox({ folder, base }: Sandbox, after: string, until: string): Buffer {
  const start = after === "" ? base : after;
  return gitBytes(folder, [...formatPatch, ...(start === "" ? ["--root", until] : [`${start}..${until}`])]);
}

/** In pieces of odd sizes, as a network has them. */
async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 3 + 1) % 16_381) yield await Promise.resolve(bytes.subarray(at, at + Math.max(1, size)));
}

function lines(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}
