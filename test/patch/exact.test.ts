import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { commitFiles, gitBytes, type TestGit, writeFile } from "../support/git.ts";
import { patchEngines } from "../support/pulling.ts";
import { makeScene, pullExactly, pullRefused, removeScenes } from "../support/scene.ts";

afterAll(removeScenes);

const canSign = spawnSync("ssh-keygen", ["-?"]).error === undefined;

/** A commit object of any bytes on top of HEAD, with the tree that is staged. */
function commitRaw(git: TestGit, make: (header: { tree: string; parent: string }) => string | Buffer): void {
  git("add", "--all");
  const content = make({ tree: git("write-tree"), parent: git("rev-parse", "HEAD") });
  const id = gitBytes(git.folder, ["hash-object", "-t", "commit", "-w", "--stdin", "--literally"], { input: content })
    .toString()
    .trim();
  git("update-ref", "HEAD", id);
}

const ident = "Ada <ada@example.com> 1764000000 +0100";

describe.each(patchEngines)("messages that mail would lose or obey, by %s", (engine) => {
  const messages: Readonly<Record<string, string>> = {
    "three dashes": "subject\n\n---\n\nafter\n",
    "a diff": "subject\n\ndiff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+evil\n",
    "Index:": "subject\n\nIndex: a\n====\n",
    scissors: "subject\n\nnot this\n-- >8 --\nbut this\n",
    "in-body headers": "subject\n\nFrom: Eve <eve@example.com>\nSubject: other\nDate: Thu, 1 Jan 1970 00:00:00 +0000\n\nbody\n",
    "From and >From":
      "subject\n\nFrom 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\nFrom here\n>From there\n>>From afar\n",
    "a signature": "subject\n\n-- \n2.39.5\n",
    brackets: "[ui] [PATCH 3/4] fix\n",
    "Re:": "Re: re: x\n",
    "a colon": ": x\n",
    "a subject of two lines": "one\ntwo\n\nbody\n",
    "5 kB of subject": `${"x".repeat(5000)}\n`,
    "what looks encoded": "=?UTF-8?q?=C3=BC?= =?utf-8?b?w7w=?=\n",
    emoji: "🚢 ⚓ é\n",
    nothing: "",
    "no line break at the end": "subject",
    "blanks around": "\n\n  subject  \n\n\nbody  \n\n\n",
    CRLF: "subject\r\n\r\nbody\r\n",
    tabs: "\tsubject\t\n\n\tbody\n",
    "a trailer": "subject\n\nSigned-off-by: Ada <ada@example.com>\nFerry-Session: ses_1\n",
  };
  it("come byte for byte, all in one series", async () => {
    const scene = makeScene();
    for (const [name, message] of Object.entries(messages)) {
      writeFile(scene.sandbox, "a", name);
      commitRaw(
        scene.sandbox,
        ({ tree, parent }) => `tree ${tree}\nparent ${parent}\nauthor ${ident}\ncommitter ${ident}\n\n${message}`,
      );
    }
    expect((await pullExactly(scene, { engine })).commits).toHaveLength(Object.keys(messages).length);
  });
});

describe.each(patchEngines)("commit objects that no command line makes, by %s", (engine) => {
  const commits: Readonly<Record<string, (header: { tree: string; parent: string }) => string | Buffer>> = {
    "latin-1 with its header": ({ tree, parent }) =>
      Buffer.from(
        `tree ${tree}\nparent ${parent}\nauthor J\xfcrgen <j@example.com> 1 +0000\ncommitter ${ident}\nencoding ISO-8859-1\n\ngr\xfc\xdfe\n`,
        "latin1",
      ),
    "invalid UTF-8 without one": ({ tree, parent }) =>
      Buffer.from(`tree ${tree}\nparent ${parent}\nauthor ${ident}\ncommitter ${ident}\n\n\xff\xfe\x80\n`, "latin1"),
    "a signature, a merge tag and an unknown header": ({ tree, parent }) =>
      `tree ${tree}\nparent ${parent}\nauthor ${ident}\ncommitter Bob <b@example.com> 1764000999 -0330\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----\nferry-odd yes\n\nsigned\n`,
    "an author with nothing in it": ({ tree, parent }) =>
      `tree ${tree}\nparent ${parent}\nauthor  <> 0 +0000\ncommitter  <> 0 +0000\n\nx\n`,
    "a date in 2130": ({ tree, parent }) =>
      `tree ${tree}\nparent ${parent}\nauthor Ada <a@b> 5049000000 +1400\ncommitter ${ident}\n\nx\n`,
  };
  it.each(Object.keys(commits))("%s", async (name) => {
    const scene = makeScene();
    writeFile(scene.sandbox, "a", "x\n");
    commitRaw(scene.sandbox, commits[name] ?? expect.fail());
    await pullExactly(scene, { engine });
  });

  it.runIf(canSign)("a signature of the sandbox's, which holds here", async () => {
    const scene = makeScene();
    const key = `${scene.sandbox.folder}/../key`;
    spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
    writeFileSync(`${key}.allowed`, `agent@ferry.local ${readFileSync(`${key}.pub`, "utf8")}`);
    const signing = ["-c", "gpg.format=ssh", "-c", `user.signingKey=${key}`] as const;
    writeFile(scene.sandbox, "a", "x\n");
    scene.sandbox(...signing, "commit", "--quiet", "--all", "-S", "-m", "signed");
    await pullExactly(scene, { engine });
    scene.local("-c", "gpg.format=ssh", "-c", `gpg.ssh.allowedSignersFile=${key}.allowed`, "verify-commit", "HEAD");
  });

  it("NUL in the message: git's own rules refuse it", async () => {
    const scene = makeScene();
    writeFile(scene.sandbox, "a", "x\n");
    commitRaw(
      scene.sandbox,
      ({ tree, parent }) => `tree ${tree}\nparent ${parent}\nauthor ${ident}\ncommitter ${ident}\n\nx\0y\n`,
    );
    expect(await pullRefused(scene, { engine })).toMatchObject({ kind: "failure" });
  });
});

describe.each(patchEngines)("content, by %s", (engine) => {
  it("binary, text with NUL, UTF-16, empty, with and without a line break at the end", async () => {
    const scene = makeScene({
      files: { bin: Buffer.from([0, 1, 2, 255]), nonl: "a\nb", nl: "a\nb\n", gone: Buffer.alloc(3000, 7), keep: "k\n" },
    });
    const noise = Buffer.from(Array.from({ length: 70_000 }, (_, at) => (at * 7919) % 256));
    commitFiles(scene.sandbox, {
      bin: noise,
      nonl: "a\nb\n",
      nl: "a\nb",
      gone: null,
      utf16: Buffer.from("\ufeffü\n", "utf16le"),
    });
    commitFiles(scene.sandbox, { bin: noise.subarray(0, 69_000), empty: "", "text-nul": "a\0b\n", nl: "" });
    commitFiles(scene.sandbox, { bin: null, nonl: "\n", empty: null });
    commitFiles(scene.sandbox, {}, "nothing at all");
    await pullExactly(scene, { engine });
    expect(scene.local("status", "--porcelain")).toBe("");
  });

  it("renames, copies, swaps, modes, links", async () => {
    const scene = makeScene({ files: { a: "a\n".repeat(30), b: "b\n".repeat(30), "d/x": "x\n", script: "#!/bin/sh\n" } });
    const { sandbox } = scene;
    const at = (path: string) => `${sandbox.folder}/${path}`;
    renameSync(at("a"), at("a2"));
    commitFiles(sandbox, { a2: `${"a\n".repeat(30)}more\n` }, "rename and edit");
    chmodSync(at("script"), 0o755);
    commitFiles(sandbox, {}, "mode only");
    commitFiles(sandbox, { a2: "b\n".repeat(30), b: "a\n".repeat(30), A2: "case\n", copy: "x\n" }, "swap and copy");
    renameSync(at("d"), at("e"));
    symlinkSync("e/x", at("link"));
    commitFiles(sandbox, {}, "folder renamed, link added");
    const { unlinkSync } = await import("node:fs");
    unlinkSync(at("link"));
    writeFileSync(at("link"), "now a file\n", { mode: 0o755 });
    commitFiles(sandbox, {}, "link to file");
    await pullExactly(scene, { engine });
    expect(scene.local("status", "--porcelain")).toBe("");
  });

  it("a mode only, where the file system has none", async () => {
    const scene = makeScene();
    scene.local("config", "core.fileMode", "false");
    chmodSync(`${scene.sandbox.folder}/a`, 0o755);
    commitFiles(scene.sandbox, {});
    await pullExactly(scene, { engine });
    expect(scene.local("status", "--porcelain")).toBe("");
  });

  it("names with blanks, quotes, tabs, line breaks, backslashes, umlauts and bytes that are no text", async () => {
    const scene = makeScene();
    const names = [
      " x ",
      'q"uo"te',
      "t\tab",
      "line\nbreak",
      "back\\slash",
      "ü/ß",
      "-dash",
      ":(glob)*",
      "a => b",
      "{x => y}/z",
      "*",
      "\x01ctl",
    ];
    commitFiles(scene.sandbox, Object.fromEntries(names.map((name) => [name, `${name}\n`])));
    writeFileSync(Buffer.concat([Buffer.from(`${scene.sandbox.folder}/`), Buffer.from([0xff, 0xfe, 0x61])]), "bytes\n");
    commitFiles(scene.sandbox, {});
    commitFiles(scene.sandbox, Object.fromEntries(names.map((name) => [name, `${name} again\n`])));
    commitFiles(scene.sandbox, { 'q"uo"te': null, "line\nbreak": null, "ü/ß": null });
    await pullExactly(scene, { engine });
    expect(scene.local("status", "--porcelain")).toBe("");
  });
});

describe.each(patchEngines)("line ends and filters, by %s", (engine) => {
  const configs: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
    "nothing set": [],
    "autocrlf true": [["core.autocrlf", "true"]],
    "autocrlf input": [["core.autocrlf", "input"]],
    "eol crlf": [["core.eol", "crlf"]],
  };
  it.each(Object.keys(configs))("CRLF, mixed and LF, %s", async (name) => {
    const scene = makeScene({ files: { crlf: "a\r\nb\r\n", mixed: "a\r\nb\n", lf: "a\nb\n" } });
    for (const [key, value] of configs[name] ?? []) scene.local("config", key, value);
    scene.local("read-tree", "--empty");
    scene.local("reset", "--quiet", "--hard");
    commitFiles(scene.sandbox, { crlf: "a\r\nB\r\nc\r\n", mixed: "a\r\nb\nc\r\n", lf: "a\nB\n", new: "x\r\n" });
    commitFiles(scene.sandbox, { lf: "a\r\nB\r\n", crlf: "a\nB\n" });
    const before = scene.local("status", "--porcelain");
    await pullExactly(scene, { engine });
    expect(scene.local("status", "--porcelain")).toBe(before);
  });

  it("attributes that the series adds: text=auto, eol=crlf, ident, working-tree-encoding, export-subst, a merge driver", async () => {
    const scene = makeScene({ files: { "x.txt": "a\n", "y.c": "$Id$\n", "z.utf16": "u\n", v: "$Format:%H$\n" } });
    commitFiles(scene.sandbox, { ".gitattributes": "*.txt text eol=crlf\n*.c ident\nv export-subst merge=union\n" });
    commitFiles(scene.sandbox, { "x.txt": "a\nb\n", "y.c": "$Id$\nint x;\n", "new.txt": "n\n" });
    commitFiles(scene.sandbox, { v: "$Format:%H$ \n" });
    await pullExactly(scene, { engine });
    expect(scene.local("status", "--porcelain")).toBe("");
  });

  it("a filter of the user's acts on the way out, and not in the objects", async () => {
    const scene = makeScene({ files: { ".gitattributes": "*.up filter=up\n", "x.up": "abc\n" } });
    scene.local("config", "filter.up.smudge", "tr a-z A-Z");
    scene.local("config", "filter.up.clean", "tr A-Z a-z");
    commitFiles(scene.sandbox, { "x.up": "abcd\n", "y.up": "new\n" });
    await pullExactly(scene, { engine });
    expect(scene.local("status", "--porcelain")).toBe("");
    expect(gitBytes(scene.local.folder, ["cat-file", "blob", ":y.up"]).toString()).toBe("new\n");
  });
});

describe.each(patchEngines)("another kind of repository, by %s", (engine) => {
  it("SHA-256", async () => {
    const scene = makeScene({ init: ["--object-format=sha256"] });
    commitFiles(scene.sandbox, { a: "x\n", n: "n\n", c: null });
    await pullExactly(scene, { engine });
  });

  it("of another format than the session's: refused", async () => {
    const scene = makeScene({ init: ["--object-format=sha256"] });
    const other = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    expect(await pullRefused({ local: other.local, source: scene.source }, { engine })).toMatchObject({ kind: "failure" });
  });
});
