import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Manifest } from "../../../src/wire/patches.ts";
import type { Session } from "../../../src/wire/resources.ts";
import { makeTestEngine, type TestEngine } from "../../support/engine.ts";
import { commitFiles, gitBytes, gitIn, makeFolder, makeRepository, type TestGit } from "../../support/git.ts";

let engine: TestEngine;
let folder: ReturnType<typeof makeFolder>;
let origin: TestGit;
let base: string;

beforeAll(async () => {
  folder = makeFolder();
  engine = await makeTestEngine();
  origin = makeRepository(join(folder.path, "origin"));
  base = commitFiles(origin, {
    "text.txt": "one\ntwo\nthree\nfour\nfive\nsix\n",
    "crlf.txt": "a\r\nb\r\n",
    "binary.bin": Uint8Array.from([0, 1, 2, 255]),
    "run.sh": "#!/bin/sh\n",
    "gone.txt": "gone\n",
  });
});

afterAll(async () => {
  await engine.close();
  folder.remove();
});

async function startSession(): Promise<Session> {
  return engine.start(await engine.register(join(folder.path, "origin")), { base_commit: base });
}

const whole = { after: "", until: "", cursor: "" };

async function bytesOf(stream: Promise<AsyncIterable<Uint8Array>>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The mbox as the design says it is made, from the session's own repository. */
function expectedMbox(session: Session, range: readonly string[]): Buffer {
  const options =
    "-p --binary --full-index --no-renames -k --always --pretty=mboxrd --no-stat --no-signature --no-base --no-cover-letter -U3";
  return gitBytes(join(engine.data, "sessions", session.id, "repo.git"), [
    "format-patch",
    "--stdout",
    ...options.split(" "),
    ...range,
  ]);
}

/** Every claim of a manifest about its mbox and its commits, checked against the bytes and against git. */
function check(manifest: Manifest, mbox: Buffer, session: Session): void {
  const repo = join(engine.data, "sessions", session.id, "repo.git");
  let at = 0;
  for (const item of manifest.items) {
    const message = mbox.subarray(at, at + item.bytes);
    at += item.bytes;
    expect(message.subarray(0, 5 + item.commit.length).toString()).toBe(`From ${item.commit}`);
    expect(createHash("sha256").update(message).digest("hex")).toBe(item.sha256);
    const options = ["diff-tree", "-r", "--root", "--no-commit-id", "--no-renames", item.commit];
    const diff = gitBytes(repo, [...options, "-p", "--binary", "--full-index"]);
    expect(message.subarray(item.diff_offset, item.diff_offset + diff.length).equals(diff)).toBe(true);
    expect(message.subarray(item.diff_offset + diff.length).toString()).toMatch(diff.length === 0 ? /^$/u : /^\n?$/u);
    const raw = Buffer.from(item.raw, "base64");
    expect(raw.equals(gitBytes(repo, ["cat-file", "commit", item.commit]))).toBe(true);
    expect(item.changes).toEqual(
      gitBytes(repo, [...options, "--raw", "--no-abbrev"])
        .toString()
        .split("\n")
        .filter((line) => line !== ""),
    );
    expect([item.tree, ...item.parents].join(" ")).toBe(gitIn(repo)("log", "-1", "--format=%T %P", item.commit).trim());
  }
  expect(at).toBe(mbox.length);
}

const oddities = String.raw`set -e
commit() { git add -A; git commit -q --allow-empty "$@"; }
printf '\000\001\377\n' > binary.bin; commit -m 'binary'
printf 'a\r\nB\r\n' > crlf.txt; commit -m 'crlf'
printf 'caf\351\n' > latin1.txt; commit -m 'Latin-1 content'
git mv text.txt "näme mit leer.txt"; sed -i s/two/zwei/ "näme mit leer.txt"; chmod +x "näme mit leer.txt"; commit -m '[tag] rename, edit and mode'
ln -s run.sh link; chmod +x run.sh; commit -m 'symlink and chmod'
rm gone.txt; mkdir gone.txt; printf x > gone.txt/inner; commit -m 'file to folder'
commit -m 'empty commit'
printf 'no newline' > end; commit -m 'Subject

body with a diff:
---
diff --git a/text.txt b/text.txt
--- a/text.txt
+++ b/text.txt
@@ -1 +1 @@
-x
+y

From the start of a line
>From quoted
From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001
-- 
trailer'
echo 1 > l; git add l; printf 'gr\374\337e\n' > /tmp/m.$$; git -c i18n.commitEncoding=ISO-8859-1 commit -q -F /tmp/m.$$; rm /tmp/m.$$
echo 2 > l; GIT_AUTHOR_NAME='Jörg, "J" Ü' GIT_AUTHOR_EMAIL=j@example.com GIT_AUTHOR_DATE='2001-02-03T04:05:06 +0530' commit -m 'another author'
mkdir "tab	dir"; echo q > 'tab	dir/quo"te'; commit -m ': odd name'
printf 'multi\nline\nsubject\n\nbody\n' | git commit -q --allow-empty -F -
`;

describe("fidelity", () => {
  let session: Session;
  beforeAll(async () => {
    session = await engine.work(await startSession(), oddities);
  });

  test("commits that the agent made stay as they are, and manifest and mbox are exact", async () => {
    expect(session.agent_status).toBe("idle");
    const manifest = await engine.sessions.manifest(session.id, whole);
    expect(manifest).toMatchObject({
      mailable: true,
      reason: "",
      base_commit: base,
      head_commit: session.head_commit,
      next_cursor: "",
    });
    expect(manifest.items.map((item) => item.sequence)).toEqual(Array.from({ length: 12 }, (_, at) => at + 1));
    const mbox = await bytesOf(engine.sessions.mbox(session.id, whole));
    expect(mbox.equals(expectedMbox(session, [`${base}..${session.branch_name}`]))).toBe(true);
    check(manifest, mbox, session);
  });

  test("each part of the range is as exact", async () => {
    const { items } = await engine.sessions.manifest(session.id, whole);
    for (const [after, until] of [
      [0, 3],
      [6, 7],
      [6, 11],
    ] as const) {
      const range = { after: items[after]?.commit ?? "", until: items[until]?.commit ?? "" };
      const part = await engine.sessions.manifest(session.id, { ...range, cursor: "" });
      expect(part.items.map((item) => item.sequence)).toEqual(items.slice(after + 1, until + 1).map((item) => item.sequence));
      check(part, await bytesOf(engine.sessions.mbox(session.id, range)), session);
    }
    const head = session.head_commit ?? "";
    expect((await engine.sessions.manifest(session.id, { after: head, until: "", cursor: "" })).items).toEqual([]);
    expect(await bytesOf(engine.sessions.mbox(session.id, { after: head, until: head }))).toHaveLength(0);
  });

  test("the bundle brings the same commits to whoever has the base", async () => {
    const bundle = await bytesOf(engine.sessions.bundle(session.id, whole));
    writeFileSync(join(folder.path, "series.bundle"), bundle);
    gitIn(folder.path)("clone", "--quiet", "origin", "copy");
    const copy = gitIn(join(folder.path, "copy"));
    copy("bundle", "verify", "--quiet", "../series.bundle");
    copy("fetch", "--quiet", "../series.bundle", `refs/heads/${session.branch_name}:refs/heads/work`);
    expect(copy("rev-parse", "work")).toBe(session.head_commit);
  });

  test("the timeline shows the files with readable names", async () => {
    const paths = (await engine.events(session)).flatMap(({ payload }) =>
      "destination_path" in payload ? [payload.destination_path] : [],
    );
    expect(paths).toContain("näme mit leer.txt");
  });
});

test("merges: told as not mailable, and the bundle has them", async () => {
  const session = await engine.work(
    await startSession(),
    "set -e; git checkout -q -b side; echo s > side; git add side; git commit -qm side; git checkout -q -; echo m > main; git add main; git commit -qm main; git merge -q -m merged side",
  );
  const manifest = await engine.sessions.manifest(session.id, whole);
  expect(manifest.mailable).toBe(false);
  expect(manifest.reason).toContain(`${session.head_commit ?? ""} is a merge`);
  expect(manifest.items).toHaveLength(3);
  expect(manifest.items.at(-1)?.parents).toHaveLength(2);
  expect(manifest.items.at(-1)?.changes).toEqual([expect.stringMatching(/A\tside$/u)]);
  await expect(engine.sessions.mbox(session.id, whole)).rejects.toMatchObject({ status: 409, code: "not_mailable" });
  const side = manifest.items.find((item) => item.subject === "side")?.commit ?? "";
  expect((await engine.sessions.manifest(session.id, { after: "", until: side, cursor: "" })).mailable).toBe(true);
  writeFileSync(join(folder.path, "merge.bundle"), await bytesOf(engine.sessions.bundle(session.id, whole)));
  origin("fetch", "--quiet", "../merge.bundle", `refs/heads/${session.branch_name}:refs/heads/merged`);
  expect(origin("rev-parse", "merged")).toBe(session.head_commit);
});

test("history that was rewritten: the old commits are no part of it any more", async () => {
  const session = await startSession();
  const first = await engine.work(session, "echo 1 > a; git add a; git commit -qm one; echo 2 > b");
  const second = await engine.work(session, "git commit -q --amend --no-edit --allow-empty -m rewritten");
  expect(second.head_commit).not.toBe(first.head_commit);
  const told = (await engine.events(session)).flatMap((event) =>
    event.type === "system_message" ? [event.payload.message] : [],
  );
  expect(told).toEqual([expect.stringContaining("rewrote commits")]);
  for (const range of [
    { after: first.head_commit ?? "", until: "" },
    { after: "", until: first.head_commit ?? "" },
  ])
    await expect(engine.sessions.manifest(session.id, { ...range, cursor: "" })).rejects.toMatchObject({
      status: 409,
      code: "history_rewritten",
    });
  await expect(engine.sessions.mbox(session.id, { after: "0".repeat(40), until: "" })).rejects.toMatchObject({ status: 409 });
  await expect(engine.sessions.mbox(session.id, { after: "main", until: "" })).rejects.toMatchObject({
    status: 400,
    code: "invalid_commit",
  });
});

test("a long series comes in pages of the same range, also while it grows", async () => {
  const session = await engine.work(
    await startSession(),
    `set -e
{ echo "reset refs/heads/$(git branch --show-current)"; echo "from ${base}"; echo
  for i in $(seq 1100); do printf 'commit refs/heads/%s\\ncommitter A <a@b> %d +0000\\ndata <<X\\n%s\\nX\\nM 100644 inline n\\ndata <<X\\n%s\\nX\\n' "$(git branch --show-current)" $((1700000000 + i)) "c $i" $i; done
} > /tmp/stream.$$; git fast-import --quiet --force < /tmp/stream.$$; rm /tmp/stream.$$; git reset -q --hard`,
  );
  const first = await engine.sessions.manifest(session.id, whole);
  const grown = await engine.work(session, "echo more > more");
  const second = await engine.sessions.manifest(session.id, { ...whole, cursor: first.next_cursor });
  const third = await engine.sessions.manifest(session.id, { ...whole, cursor: second.next_cursor });
  expect([first, second, third].map((page) => page.items.length)).toEqual([500, 500, 100]);
  expect(third.next_cursor).toBe("");
  expect(grown.head_commit).not.toBe(session.head_commit);
  const range = { after: "", until: session.head_commit ?? "" };
  const all = { ...first, items: [first, second, third].flatMap((page) => page.items) };
  expect(all.items.map((item) => item.sequence)).toEqual(Array.from({ length: 1100 }, (_, at) => at + 1));
  const mbox = await bytesOf(engine.sessions.mbox(session.id, range));
  let at = 0;
  for (const item of all.items) {
    const message = mbox.subarray(at, (at += item.bytes));
    expect(createHash("sha256").update(message).digest("hex")).toBe(item.sha256);
  }
  expect(at).toBe(mbox.length);
  await expect(engine.sessions.manifest(session.id, { ...whole, cursor: "x" })).rejects.toMatchObject({
    status: 400,
    code: "invalid_cursor",
  });
});

test("commits with huge messages make short pages", async () => {
  const session = await engine.work(
    await startSession(),
    "for i in 1 2 3; do { echo m$i; head -c 5000000 /dev/zero | tr '\\0' x; } | git commit -q --allow-empty -F -; done",
  );
  const first = await engine.sessions.manifest(session.id, whole);
  expect(first.items.map((item) => item.subject)).toEqual(["m1"]);
  const second = await engine.sessions.manifest(session.id, { ...whole, cursor: first.next_cursor });
  expect(second.items.map((item) => item.sequence)).toEqual([2]);
});
