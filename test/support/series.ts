import { createHash } from "node:crypto";
import { FerryError } from "../../src/base/errors.ts";
import type { Offers, PatchSource } from "../../src/patch/source.ts";
import type { Manifest, ManifestItem, Uncommitted } from "../../src/wire/patches.ts";
import { gitBytes, gitIn, headOf } from "./git.ts";

export interface Sandbox {
  /** The sandbox's repository on disk. */
  readonly folder: string;
  readonly branch: string;
  /** The commit that the session started at; "" for none. */
  readonly base: string;
}

/** Commits, and what isn't committed. */
export type SandboxSource = PatchSource & { readonly uncommitted: NonNullable<Offers["uncommitted"]> };

const formatPatch =
  "format-patch --stdout -p --binary --full-index --no-renames -k --always --pretty=mboxrd --no-stat --no-signature --no-base --no-cover-letter -U3".split(
    " ",
  );

/**
 * The server's side of the wire, a second time: manifest, mbox and bundle of a repository on disk, made with the command line
 * that wire.md gives. `calls` counts what was asked for.
 */
export function sandboxSource(sandbox: Sandbox): SandboxSource & { readonly calls: string[] } {
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
    async uncommitted() {
      calls.push("uncommitted");
      return Promise.resolve(makeUncommitted(sandbox));
    },
  };
}

/** What the folder of a repository holds beyond its HEAD, by an index of its own. */
export function makeUncommitted({ folder, base }: Pick<Sandbox, "folder" | "base">): Uncommitted {
  const env = { GIT_INDEX_FILE: `${folder}/.git/uncommitted-index` };
  const run = (...args: string[]) => gitBytes(folder, args, { env });
  const head = base === "" && run("for-each-ref", "refs/heads").length === 0 ? "" : run("rev-parse", "HEAD").toString().trim();
  run("read-tree", ...(head === "" ? ["--empty"] : [head]));
  run("add", "--all");
  const tree = run("write-tree").toString().trim();
  const from = head === "" ? run("hash-object", "-t", "tree", "-w", "--stdin").toString().trim() : head;
  const patch = run("diff-tree", "-r", "-p", "--binary", "--full-index", "--no-renames", from, tree);
  return { base_commit: head, tree, patch: patch.toString("base64"), as_of: "2026-01-01T00:00:00.000Z" };
}

/** A source whose manifest or mbox is changed on the way. */
export function tamperedSource(
  sandbox: Sandbox,
  change: {
    manifest?: (manifest: Manifest) => Manifest;
    mbox?: (mbox: Buffer) => Buffer;
    uncommitted?: (uncommitted: Uncommitted) => Uncommitted;
  },
): SandboxSource {
  const honest = sandboxSource(sandbox);
  return {
    manifest: async (after) => (change.manifest ?? ((same: Manifest) => same))(await honest.manifest(after)),
    mbox: (after, until) => inPieces((change.mbox ?? ((same: Buffer) => same))(makeMbox(sandbox, after, until))),
    bundle: (after, until) => honest.bundle(after, until),
    uncommitted: async () => (change.uncommitted ?? ((same: Uncommitted) => same))(makeUncommitted(sandbox)),
  };
}

export function makeManifest({ folder, branch, base }: Sandbox, after: string): Manifest {
  const run = (...args: string[]) => gitBytes(folder, args).toString("latin1");
  const start = after === "" ? base : after;
  const head = branch === "HEAD" ? headOf(gitIn(folder)) : run("rev-parse", branch).trim();
  if (after !== "" && run("merge-base", after, head).trim() !== after)
    throw new FerryError("failure", "the session's history was rewritten", { code: "history_rewritten" });
  const commits = lines(run("rev-list", "--reverse", "--topo-order", head, ...(start === "" ? [] : [`^${start}`])));
  const done = start === base ? 0 : lines(run("rev-list", start, ...(base === "" ? [] : [`^${base}`]))).length;
  const input = commits.map((commit) => `${commit}\n`).join("");
  const raws = input === "" ? [] : readObjects(gitBytes(folder, ["cat-file", "--batch"], { input }));
  const mailable = raws.every((raw) => parentsOf(raw).length < 2);
  return {
    repository_id: "rep_1",
    object_format: head.length === 40 ? "sha1" : "sha256",
    base_commit: base,
    head_commit: head,
    mailable,
    reason: mailable ? "" : "the series has merges",
    items: makeItems(folder, commits, {
      done,
      raws,
      mbox: mailable ? makeMbox({ folder, branch, base }, after, head) : undefined,
    }),
    next_cursor: "",
  };
}

/** All commits at once, since a thousand of them are asked for too. */
function makeItems(
  folder: string,
  commits: readonly string[],
  { done, raws, mbox }: { done: number; raws: readonly Buffer[]; mbox: Buffer | undefined },
): ManifestItem[] {
  if (commits.length === 0) return [];
  const input = commits.map((commit) => `${commit}\n`).join("");
  const tree = ["diff-tree", "--stdin", "-r", "--root", "--no-renames", "--always"];
  const changes = splitAt(
    gitBytes(folder, [...tree, "--raw", "--no-abbrev"], { input }),
    commits.map((commit) => `${commit}\n`),
  );
  const diffs = splitAt(
    gitBytes(folder, [...tree, "-p", "--binary", "--full-index", "-U3"], { input }),
    commits.map((commit) => `${commit}\n`),
  );
  const mails =
    mbox === undefined
      ? []
      : splitAt(
          mbox,
          commits.map((commit) => `From ${commit} Mon Sep 17 00:00:00 2001\n`),
        );
  return commits.map((commit, at) => {
    const raw = raws[at] ?? Buffer.alloc(0);
    const mail = mails[at] ?? Buffer.alloc(0);
    const diff = (diffs[at] ?? Buffer.alloc(0)).subarray(commit.length + 1);
    return {
      sequence: done + at + 1,
      commit,
      parents: parentsOf(raw),
      tree: headerOf(raw)[0]?.slice(5) ?? "",
      raw: raw.toString("base64"),
      subject:
        raw
          .subarray(raw.indexOf("\n\n") + 2)
          .toString("utf8")
          .split("\n")[0] ?? "",
      changes: lines((changes[at] ?? Buffer.alloc(0)).subarray(commit.length + 1).toString("utf8")),
      bytes: mail.length,
      sha256: createHash("sha256").update(mail).digest("hex"),
      // The diff as git makes it alone is what the mail ends with, but for a blank line or two.
      diff_offset:
        diff.toString("latin1").trim() === "" ? mail.length : mail.lastIndexOf(diff.subarray(diff.indexOf("diff --git"), -1)),
    };
  });
}

function parentsOf(raw: Buffer): string[] {
  return headerOf(raw)
    .filter((line) => line.startsWith("parent "))
    .map((line) => line.slice(7));
}

function headerOf(raw: Buffer): string[] {
  return raw.subarray(0, raw.indexOf("\n\n")).toString("latin1").split("\n");
}

/** What `cat-file --batch` prints. */
function readObjects(output: Buffer): Buffer[] {
  const objects: Buffer[] = [];
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(10, at);
    const size = Number(output.subarray(at, end).toString("latin1").split(" ")[2]);
    objects.push(output.subarray(end + 1, end + 1 + size));
    at = end + size + 2;
  }
  return objects;
}

/** Cut where each of these lines begins, in their order. */
function splitAt(bytes: Buffer, starts: readonly string[]): Buffer[] {
  let from = 0;
  const places = starts.map((start) => {
    const at = bytes.indexOf(start, from, "latin1");
    from = at + start.length;
    return at;
  });
  return places.map((place, at) => bytes.subarray(place, places[at + 1] ?? bytes.length));
}

export function makeMbox({ folder, base }: Sandbox, after: string, until: string): Buffer {
  const start = after === "" ? base : after;
  return gitBytes(folder, [...formatPatch, ...(start === "" ? ["--root", until] : [`${start}..${until}`])]);
}

/** In pieces of odd sizes, as a network has them. */
async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0, size = 1; at < bytes.length; at += size, size = Math.max(1, (size * 3 + 1) % 16_381))
    yield await Promise.resolve(bytes.subarray(at, at + size));
}

function lines(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}
