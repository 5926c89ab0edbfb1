import { symlinkSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { commitFiles, gitBytes, type TestGit, writeFile } from "../support/git.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, pullExactly, pullRefused, removeScenes, type Scene } from "../support/scene.ts";

afterAll(removeScenes);

/** A side branch from the current commit with one commit, merged back with `--no-ff`. */
function mergeSide(git: TestGit, name: string, files: Readonly<Record<string, string>>): void {
  const main = git("rev-parse", "HEAD");
  commitFiles(git, files, name);
  const side = git("rev-parse", "HEAD");
  git("reset", "--quiet", "--hard", main);
  git("merge", "--quiet", "--no-ff", "-m", `merge ${name}`, side);
}

describe("a series with merges comes as a bundle, with the sandbox's ids", () => {
  const histories: Readonly<Record<string, (scene: Scene) => void>> = {
    "a merge": ({ sandbox }) => {
      mergeSide(sandbox, "side", { b: "B\n", n: "n\n" });
    },
    "one with an edit of its own": ({ sandbox }) => {
      mergeSide(sandbox, "side", { b: "B\n" });
      writeFile(sandbox, "evil", "only in the merge\n");
      sandbox("add", "evil");
      sandbox("commit", "--quiet", "--amend", "--no-edit");
    },
    "an octopus": ({ sandbox }) => {
      const base = sandbox("rev-parse", "HEAD");
      const sides = ["x", "y", "z"].map((name) => {
        sandbox("reset", "--quiet", "--hard", base);
        return commitFiles(sandbox, { [name]: `${name}\n` }, name);
      });
      sandbox("reset", "--quiet", "--hard", base);
      sandbox("merge", "--quiet", "--no-ff", "-m", "octopus", ...sides);
    },
    "a criss-cross": ({ sandbox }) => {
      const base = sandbox("rev-parse", "HEAD");
      const one = commitFiles(sandbox, { one: "1\n" }, "one");
      sandbox("reset", "--quiet", "--hard", base);
      const two = commitFiles(sandbox, { two: "2\n" }, "two");
      sandbox("merge", "--quiet", "--no-ff", "-m", "two with one", one);
      const left = sandbox("rev-parse", "HEAD");
      sandbox("reset", "--quiet", "--hard", one);
      sandbox("merge", "--quiet", "--no-ff", "-m", "one with two", two);
      commitFiles(sandbox, { three: "3\n" }, "three");
      sandbox("merge", "--quiet", "--no-ff", "-m", "both", left);
    },
    "a history of its own": ({ sandbox }) => {
      const main = sandbox("rev-parse", "HEAD");
      sandbox("checkout", "--quiet", "--orphan", "other");
      sandbox("rm", "-rfq", ".");
      commitFiles(sandbox, { other: "o\n" }, "root");
      const root = sandbox("rev-parse", "HEAD");
      sandbox("checkout", "--quiet", "--detach", main);
      sandbox("merge", "--quiet", "--allow-unrelated-histories", "-m", "joined", root);
    },
  };
  it.each(Object.keys(histories))("%s", async (name) => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    histories[name]?.(scene);
    commitFiles(scene.sandbox, { c: "after\n" });
    writeFile(scene.local, "dir/d", "dirty\n");
    const verdict = await pullExactly(scene);
    expect(verdict.engine).toBe("bundle");
    expect(verdict.commits).toHaveLength(Number(scene.sandbox("rev-list", "--count", `${scene.base}..HEAD`)));
    expect(scene.local("status", "--porcelain")).toBe(" M dir/d");
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: false });
  });

  it("of a line that began before what came last", async () => {
    const scene = makeScene();
    const first = commitFiles(scene.sandbox, { a: "x\n" });
    commitFiles(scene.sandbox, { b: "y\n" });
    await pullExactly(scene);
    const tip = scene.sandbox("rev-parse", "HEAD");
    scene.sandbox("reset", "--quiet", "--hard", first);
    const side = commitFiles(scene.sandbox, { n: "n\n" }, "side");
    scene.sandbox("reset", "--quiet", "--hard", tip);
    scene.sandbox("merge", "--quiet", "--no-ff", "-m", "merge", side);
    expect((await pullExactly(scene)).commits).toHaveLength(2);
  });

  it("on an unborn branch", async () => {
    const scene = makeScene();
    mergeSide(scene.sandbox, "side", { b: "B\n" });
    const local = makeScene().local;
    local("checkout", "--quiet", "--orphan", "fresh");
    local("rm", "-rfq", ".");
    const { sandboxSource } = await import("../support/series.ts");
    await pullExactly({ ...scene, local, source: sandboxSource({ folder: scene.sandbox.folder, branch: "HEAD", base: "" }) });
  });

  it("and by no other way: patches alone are refused, and not flattened", async () => {
    const scene = makeScene();
    mergeSide(scene.sandbox, "side", { b: "B\n" });
    const error = await pullRefused(scene, { deps: { engines: ["exact", "am"] } });
    expect(error.message).toBe("the series has merges");
  });

  it("but isn't flattened onto a HEAD that moved on", async () => {
    const scene = makeScene();
    mergeSide(scene.sandbox, "side", { b: "B\n" });
    commitFiles(scene.local, { c: "mine\n" });
    expect(await pullRefused(scene)).toMatchObject({ kind: "attention", code: "merges" });
  });

  it("is judged like any other: a link that leads out, in a side line that the merge takes back", async () => {
    const scene = makeScene();
    const base = scene.sandbox("rev-parse", "HEAD");
    symlinkSync("../../out", `${scene.sandbox.folder}/l`);
    const bad = commitFiles(scene.sandbox, {}, "bad");
    scene.sandbox("reset", "--quiet", "--hard", base);
    scene.sandbox("merge", "--quiet", "--no-ff", "-s", "ours", "-m", "merge", bad);
    const error = await pullRefused(scene);
    expect(error).toMatchObject({ code: "policy" });
    expect(error.message).toContain(bad.slice(0, 12));
  });
});

describe("a bundle that lies", () => {
  const make = () => {
    const scene = makeScene();
    mergeSide(scene.sandbox, "side", { b: "B\n" });
    return { scene, tip: scene.sandbox("rev-parse", "HEAD") };
  };
  const lies: Readonly<Record<string, (bundle: Buffer, tip: string) => Buffer>> = {
    empty: () => Buffer.alloc(0),
    "no bundle": () => Buffer.from("From x\n".repeat(1000)),
    "an endless line": () => Buffer.alloc(5_000_000, 65),
    "endless lines": () => Buffer.from("# v2 git bundle\n" + "- x\n".repeat(100_000)),
    "cut off": (bundle) => bundle.subarray(0, -30),
    "a byte of the pack": (bundle) => {
      const changed = Buffer.from(bundle);
      changed[bundle.length - 40] = (bundle[bundle.length - 40] ?? 0) ^ 255;
      return changed;
    },
    "a filter": (bundle) =>
      Buffer.from(bundle.toString("latin1").replace("# v2 git bundle\n", "# v3 git bundle\n@filter=blob:none\n"), "latin1"),
    "another commit": (bundle, tip) => Buffer.from(bundle.toString("latin1").replace(`${tip} `, `${"1".repeat(40)} `), "latin1"),
    "two refs": (bundle, tip) =>
      Buffer.from(bundle.toString("latin1").replace(`${tip} `, `${tip} refs/heads/evil\n${tip} `), "latin1"),
  };
  it.each(Object.keys(lies))("%s", async (name) => {
    const { scene, tip } = make();
    const forge = lies[name] ?? expect.fail();
    const bundle = (after: string, until: string) => {
      const ref = `refs/ferry-test/${until}`;
      scene.sandbox("update-ref", ref, until);
      return pieces(forge(gitBytes(scene.sandbox.folder, ["bundle", "create", "-q", "-", ref, `^${after}`]), tip));
    };
    expect(await pullRefused(scene, { source: { ...scene.source, bundle } })).toMatchObject({ kind: "failure" });
  });

  it("of a part of the history, or of more than the manifest tells", async () => {
    const { scene } = make();
    for (const drop of [0, 1]) {
      const manifest = async (after: string) => {
        const honest = await scene.source.manifest(after);
        return { ...honest, items: honest.items.filter((_, at) => at !== drop) };
      };
      expect(await pullRefused(scene, { source: { ...scene.source, manifest } })).toMatchObject({ code: "lie" });
    }
  });

  it("whose head doesn't follow the commit that it began after", async () => {
    const scene = makeScene();
    scene.sandbox("checkout", "--quiet", "--orphan", "other");
    commitFiles(scene.sandbox, { m: "m\n" }, "root");
    mergeSide(scene.sandbox, "x", { n: "n\n" });
    expect(await pullRefused(scene)).toMatchObject({ code: "lie" });
  });
});

async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1000) yield await Promise.resolve(bytes.subarray(at, at + 1000));
}
