import { symlinkSync, unlinkSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import type { Manifest } from "../../src/wire/patches.ts";
import { commitFiles, gitBytes, type TestGit, writeFile } from "../support/git.ts";
import { patchEngines } from "../support/pulling.ts";
import { makeScene, pullExactly, pullRefused, removeScenes, type Scene } from "../support/scene.ts";
import { makeMbox, sandboxSource, tamperedSource } from "../support/series.ts";
import { filesBelow } from "../support/state.ts";

afterAll(removeScenes);

/** A tree object of any bytes, below what HEAD has, committed in the sandbox. */
function commitTree(
  git: TestGit,
  entries: readonly (readonly [mode: string, name: string, id: string])[],
  message = "hostile",
): void {
  const own = gitBytes(git.folder, ["ls-tree", "-z", "HEAD"]).toString("latin1").split("\0").slice(0, -1);
  const kept = own.map((line) => {
    const [mode = "", , id = ""] = line.slice(0, line.indexOf("\t")).split(" ");
    return [mode, line.slice(line.indexOf("\t") + 1), id] as const;
  });
  const all = [...kept, ...entries].sort(([, one], [, other]) => (one < other ? -1 : 1));
  const content = Buffer.concat(
    all.flatMap(([mode, name, id]) => [Buffer.from(`${mode.replace(/^0/u, "")} ${name}\0`, "latin1"), Buffer.from(id, "hex")]),
  );
  const tree = writeObject(git, "tree", content);
  git("update-ref", "HEAD", git("commit-tree", "-p", "HEAD", "-m", message, tree));
}

function writeObject(git: TestGit, type: string, content: string | Buffer): string {
  return gitBytes(git.folder, ["hash-object", "-t", type, "-w", "--stdin", "--literally"], { input: content }).toString().trim();
}

describe.each(patchEngines)("paths that a series may not write, by %s", (engine) => {
  const names = [".git", ".GIT", "git~1", ".git ", ".git.", ".git::$INDEX_ALLOCATION", ".g\u200cit", "..", ".", ".git\\x"];
  it.each(names)("%j", async (name) => {
    const scene = makeScene();
    const file = writeObject(scene.sandbox, "blob", "evil\n");
    const latin = Buffer.from(name, "utf8").toString("latin1");
    const folder = writeObject(scene.sandbox, "tree", Buffer.concat([Buffer.from("100644 config\0"), Buffer.from(file, "hex")]));
    commitTree(scene.sandbox, [["40000", latin, folder]]);
    const parent = filesBelow(`${scene.local.folder}/..`);
    expect(await pullRefused(scene, { engine })).toMatchObject({ kind: "failure" });
    expect(filesBelow(`${scene.local.folder}/..`)).toEqual(parent);
  });

  it("deep inside, and taken back by a later commit", async () => {
    const scene = makeScene();
    const file = writeObject(scene.sandbox, "blob", "evil\n");
    const inner = writeObject(scene.sandbox, "tree", Buffer.concat([Buffer.from("100644 .GiT\0"), Buffer.from(file, "hex")]));
    commitTree(scene.sandbox, [["40000", "x", inner]]);
    const bad = scene.sandbox("rev-parse", "HEAD");
    scene.sandbox("update-ref", "HEAD", scene.sandbox("commit-tree", "-p", "HEAD", "-m", "gone", `${scene.base}^{tree}`));
    const error = await pullRefused(scene, { engine });
    expect(error.message).toContain(bad.slice(0, 12));
  });

  it("a mode that git doesn't make", async () => {
    const scene = makeScene();
    commitTree(scene.sandbox, [["100777", "x", writeObject(scene.sandbox, "blob", "x\n")]]);
    expect(await pullRefused(scene, { engine })).toMatchObject({ kind: "failure" });
  });

  it.each(["!touch x", "rebase"])("a .gitmodules with update = %s", async (update) => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { ".gitmodules": `[submodule "s"]\n\tpath = s\n\turl = ./s\n\tupdate = ${update}\n` });
    await (update.startsWith("!")
      ? expect(pullRefused(scene, { engine })).resolves.toMatchObject({ kind: "failure" })
      : pullExactly(scene, { engine }));
  });

  it.each([
    ["no", {}],
    ["a hundred", Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`f${at}`, `${at}\n`]))],
  ])("a .gitmodules whose address is an option, with %s more files: the commit is named, and the rule", async (_, more) => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "A\n" });
    const bad = commitFiles(scene.sandbox, {
      ".gitmodules": '[submodule "s"]\n\tpath = s\n\turl = -u./x\n',
      ...more,
    });
    commitFiles(scene.sandbox, { b: "B\n" });
    const error = await pullRefused(scene, { engine });
    expect(error).toMatchObject({
      kind: "failure",
      code: "policy",
      message: expect.stringMatching(
        new RegExp(
          `^commit ${bad.slice(0, 12)} is refused: its object [0-9a-f]{12} breaks a rule of git's, gitmodulesUrl: .*-u./x$`,
          "u",
        ),
      ) as string,
      hint: "nothing was changed; ask the agent to take it out of its history",
    });
  });

  it("a .gitmodules that is a link", async () => {
    const scene = makeScene();
    commitTree(scene.sandbox, [["120000", ".gitmodules", writeObject(scene.sandbox, "blob", "a")]]);
    expect(await pullRefused(scene, { engine })).toMatchObject({ kind: "failure" });
  });
});

describe("links that lead where they may not", () => {
  const link = (scene: Scene, path: string, target: string) => {
    writeFile(scene.sandbox, `${path}.tmp`, "");
    unlinkSync(`${scene.sandbox.folder}/${path}.tmp`);
    symlinkSync(target, `${scene.sandbox.folder}/${path}`);
  };

  it.each(["/etc/passwd", "../x", "dir/../../x", ".git/config", "dir/../.git/hooks", ".GIT", "./../local/a"])(
    "to %s",
    async (target) => {
      const scene = makeScene();
      link(scene, "l", target);
      commitFiles(scene.sandbox, {});
      expect(await pullRefused(scene)).toMatchObject({ kind: "failure", code: "policy" });
    },
  );

  it.each(["a", "dir/d", "missing", "dir/../a", ".gitignore", "dir/./d"])("but not one to %s", async (target) => {
    const scene = makeScene();
    link(scene, "l", target);
    commitFiles(scene.sandbox, {});
    await pullExactly(scene);
  });

  it("in one commit, gone in the next: the first is named", async () => {
    const scene = makeScene();
    link(scene, "l", "../out");
    const bad = commitFiles(scene.sandbox, {});
    commitFiles(scene.sandbox, { l: null });
    expect((await pullRefused(scene)).message).toContain(bad.slice(0, 12));
  });

  it("each inside, together out", async () => {
    const scene = makeScene({ files: { "p/q/r/x": "x\n", a: "a\n" } });
    link(scene, "p/l", "q/r");
    commitFiles(scene.sandbox, {});
    await pullExactly(scene);
    link(scene, "m", "p/l/../../..");
    commitFiles(scene.sandbox, {});
    await pullExactly(scene);
    link(scene, "p/n", "..");
    link(scene, "o", "p/n/../a");
    commitFiles(scene.sandbox, {});
    expect(await pullRefused(scene)).toMatchObject({ code: "policy" });
  });

  it("in a circle: nowhere, which is no harm; through more than forty others: refused", async () => {
    const scene = makeScene();
    link(scene, "one", "two");
    link(scene, "two", "dir/../one");
    link(scene, "self", "./self");
    commitFiles(scene.sandbox, {});
    await pullExactly(scene);
    for (let at = 0; at < 42; at += 1) link(scene, `l${at}`, `l${at + 1}`);
    commitFiles(scene.sandbox, {});
    expect(await pullRefused(scene)).toMatchObject({ code: "policy" });
  });

  it.each(["..\0x", ".git\0x", "a\0"])("cut short by a NUL: %j", async (target) => {
    const scene = makeScene();
    commitTree(scene.sandbox, [["120000", "l", writeObject(scene.sandbox, "blob", target)]]);
    expect(await pullRefused(scene)).toMatchObject({ kind: "failure", code: "policy" });
  });

  it.each([
    ["data", "/root/.ssh"],
    ["info", ".git/hooks"],
    ["chain", "data/x"],
  ])("the base's own %s may stay, but not point to %s", async (path, target) => {
    const base = { data: "/var/tmp", info: ".git/info", chain: "data" };
    const scene = makeScene({
      prepare: (local) => {
        for (const [name, place] of Object.entries(base)) symlinkSync(place, `${local.folder}/${name}`);
        commitFiles(local, {});
      },
    });
    symlinkSync("a", `${scene.sandbox.folder}/harmless`);
    commitFiles(scene.sandbox, {});
    await pullExactly(scene);
    unlinkSync(`${scene.sandbox.folder}/${path}`);
    symlinkSync(target, `${scene.sandbox.folder}/${path}`);
    commitFiles(scene.sandbox, {});
    expect(await pullRefused(scene)).toMatchObject({ kind: "failure", code: "policy" });
  });

  it("an unchanged one through a changed one", async () => {
    const scene = makeScene({
      prepare: (local) => {
        symlinkSync("way/../a", `${local.folder}/u`);
        commitFiles(local, { way: "file\n" });
      },
    });
    commitFiles(scene.sandbox, { way: null });
    link(scene, "way", ".");
    commitFiles(scene.sandbox, {});
    expect((await pullRefused(scene)).message).toContain(" u ");
  });

  it("the user's own are the user's affair", async () => {
    const scene = makeScene({
      prepare: (local) => {
        symlinkSync("/etc", `${local.folder}/mine`);
        commitFiles(local, {});
      },
    });
    link(scene, "l", "a");
    commitFiles(scene.sandbox, {});
    await pullExactly(scene);
  });
});

describe.each(patchEngines)("a service that lies, to %s", (first) => {
  // What exact makes nothing of is am's to judge.
  const engine = first === "am" ? first : undefined;
  const makeSeries = () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" }, "one");
    commitFiles(scene.sandbox, { b: "y\n" }, "two");
    commitFiles(scene.sandbox, { c: "z\n" }, "three");
    return scene;
  };

  const forgeries: Readonly<Record<string, (mbox: Buffer) => Buffer>> = {
    "cut off": (mbox) => mbox.subarray(0, -20),
    empty: () => Buffer.alloc(0),
    longer: (mbox) => Buffer.concat([mbox, Buffer.from("\nFrom x\n")]),
    "another byte": (mbox) => Buffer.from(mbox.toString("latin1").replace("+y", "+Y"), "latin1"),
    "no mbox": (mbox) => Buffer.alloc(mbox.length, 65),
  };
  it.each(Object.keys(forgeries))("in the mbox: %s", async (name) => {
    const scene = makeSeries();
    const source = tamperedSource(
      { folder: scene.sandbox.folder, branch: "HEAD", base: scene.base },
      { mbox: forgeries[name] ?? expect.fail() },
    );
    expect(await pullRefused(scene, { source, engine })).toMatchObject({ kind: "failure", code: "lie" });
  });

  it("in both, so that they agree: the tree tells", async () => {
    const scene = makeSeries();
    const other = makeScene();
    commitFiles(other.sandbox, { a: "x\n" }, "one");
    commitFiles(other.sandbox, { b: "evil\n" }, "two");
    commitFiles(other.sandbox, { c: "z\n" }, "three");
    const place = { folder: other.sandbox.folder, branch: "HEAD", base: other.base };
    const evil = await sandboxSource(place).manifest("");
    const mix = (manifest: Manifest): Manifest => ({
      ...manifest,
      items: manifest.items.map((each, at) => {
        const { bytes = 0, sha256 = "", diff_offset = 0, changes = [] } = evil.items[at] ?? {};
        return { ...each, bytes, sha256, diff_offset, changes };
      }),
    });
    const honest = { folder: scene.sandbox.folder, branch: "HEAD", base: scene.base };
    const source = tamperedSource(honest, { manifest: mix, mbox: () => makeMbox(place, "", "HEAD") });
    const error = await pullRefused(scene, { source, engine });
    expect(error).toMatchObject({ kind: "failure", code: "lie" });
    expect(error.message).toContain("number 2");
  });
});

describe("what runs on the machine of whoever has it", () => {
  it("is told: hooks, attributes, submodules, workflows, executables", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, {
      ".husky/pre-commit": "touch marker\n",
      ".gitattributes": "* filter=evil\n",
      ".gitmodules": "",
      ".github/workflows/x.yml": "",
    });
    const { chmodSync } = await import("node:fs");
    chmodSync(`${scene.sandbox.folder}/a`, 0o755);
    commitFiles(scene.sandbox, {});
    const { notices } = await pullExactly(scene);
    expect(notices).toHaveLength(5);
    expect(notices.join("\n")).toMatch(
      /\.husky\/pre-commit[\s\S]*\.gitattributes[\s\S]*\.gitmodules[\s\S]*x\.yml[\s\S]*executable: a/u,
    );
  });

  it("doesn't run in a pull: a hook in the tree, and a filter of the same name that the series' attributes ask for", async () => {
    const scene = makeScene({ files: { a: "a\n", "hooks/x": "" } });
    scene.local("config", "core.hooksPath", "hooks");
    const hook = "#!/bin/sh\ntouch marker\n";
    const names = [
      "post-checkout",
      "post-merge",
      "reference-transaction",
      "post-applypatch",
      "pre-applypatch",
      "applypatch-msg",
      "post-index-change",
    ];
    commitFiles(scene.sandbox, Object.fromEntries(names.map((name) => [`hooks/${name}`, hook])));
    const { chmodSync } = await import("node:fs");
    for (const name of names) chmodSync(`${scene.sandbox.folder}/hooks/${name}`, 0o755);
    commitFiles(scene.sandbox, { a: "b\n" });
    await pullExactly(scene);
    expect(filesBelow(scene.local.folder).join()).not.toContain("marker");
  });

  it("names that differ only by case or Unicode form come here, and are told", async () => {
    const scene = makeScene({ files: { README: "r\n" } });
    commitFiles(scene.sandbox, { readme: "r\n", "\u00e9": "1\n", "e\u0301": "2\n", "dir/x": "", "DIR/y": "" });
    const { notices } = await pullExactly(scene);
    expect(notices.filter((notice) => notice.includes("only case"))).toHaveLength(3);
  });
});
