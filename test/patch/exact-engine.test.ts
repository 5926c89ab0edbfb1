import { chmodSync, renameSync, rmSync, symlinkSync } from "node:fs";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { Unsuited } from "../../src/patch/engine/engine.ts";
import { readMail } from "../../src/patch/engine/exact/read-mail.ts";
import { readSeries, type SeriesItem } from "../../src/patch/series/series.ts";
import { forgedSource } from "../support/forge.ts";
import { commitFiles, gitBytes, type TestGit } from "../support/git.ts";
import { makeScene, pullExactly, pullRefused, removeScenes, type Scene } from "../support/scene.ts";

afterAll(removeScenes);

const numbers = Array.from({ length: 40 }, (_, at) => `${at}\n`);
const noise = (seed: number) => Buffer.from(Array.from({ length: 900 }, (_, at) => (at * at * seed) % 256));

/** Every kind of patch that git writes. */
function makeVaried(): Scene {
  const scene = makeScene({
    files: {
      text: numbers.join(""),
      binary: noise(7),
      gone: "g\n",
      moved: numbers.slice(3).join(""),
      'o"d\td': "1\n",
      crlf: "a\r\nb",
      script: "#!\n",
    },
  });
  const { sandbox } = scene;
  const at = (path: string) => `${sandbox.folder}/${path}`;
  commitFiles(sandbox, {
    text: numbers.map((line, place) => (place % 9 === 4 ? `${place}!\n` : line)).join(""),
    crlf: "a\r\nB\r\n",
  });
  commitFiles(sandbox, { binary: Buffer.concat([noise(7), Buffer.from("more\0")]), new: noise(11), empty: "", 'o"d\td': "2" });
  renameSync(at("moved"), at("there"));
  chmodSync(at("script"), 0o755);
  commitFiles(sandbox, { there: `${numbers.slice(3).join("")}end\n`, copy: numbers.slice(3).join("") });
  rmSync(at("gone"));
  symlinkSync("text", at("gone"));
  sandbox("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},sub`);
  sandbox("add", "gone");
  sandbox("commit", "--quiet", "-m", "links");
  sandbox("update-index", "--cacheinfo", `160000,${"2".repeat(40)},sub`);
  sandbox("rm", "--quiet", "empty", "new");
  sandbox("commit", "--quiet", "-m", "bump");
  sandbox("rm", "--quiet", "--cached", "sub");
  commitFiles(sandbox, { text: "" });
  return scene;
}

const diffOf = (git: TestGit, commit: string, ...options: string[]) =>
  gitBytes(git.folder, ["diff-tree", "-r", "-p", "--binary", "--full-index", "-U3", ...options, `${commit}~`, commit]);

describe("exact takes what git writes, by itself", () => {
  it.each([
    ["as the service is to write it", ["--no-renames"]],
    ["renames", ["-M"]],
    ["renames and copies", ["-M", "-C", "--find-copies-harder"]],
    ["without context", ["-U0"]],
    ["the whole file as context", ["-U10000"]],
    ["another algorithm", ["--patience"]],
    ["rewrites in halves", ["-B", "-M"]],
  ])("%s", async (_, options) => {
    const scene = makeVaried();
    await pullExactly(
      { ...scene, source: { ...scene.source, ...forgedSource(scene, (commit) => diffOf(scene.sandbox, commit, ...options)) } },
      { engine: "exact" },
    );
  });

  it("names that aren't quoted", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { "ü b": "1\n", ß: Buffer.from([0, 1]) });
    const diff = (commit: string) =>
      gitBytes(scene.sandbox.folder, [
        "-c",
        "core.quotePath=false",
        "diff-tree",
        "-r",
        "-p",
        "--binary",
        "--full-index",
        `${commit}~`,
        commit,
      ]);
    await pullExactly({ ...scene, source: { ...scene.source, ...forgedSource(scene, diff) } }, { engine: "exact" });
  });

  it("a history of its own, in SHA-256 too", async () => {
    for (const format of ["sha1", "sha256"]) {
      const scene = makeScene({ init: [`--object-format=${format}`] });
      scene.local("checkout", "--quiet", "--orphan", "fresh");
      scene.local("rm", "-rfq", ".");
      const { sandboxSource } = await import("../support/series.ts");
      commitFiles(scene.sandbox, { n: noise(3), a: "x\n" });
      const source = sandboxSource({ folder: scene.sandbox.folder, branch: "HEAD", base: "" });
      await pullExactly({ ...scene, source }, { engine: "exact" });
    }
  });
});

describe("what exact makes nothing of, am takes where it is right, and refuses where it isn't", () => {
  const shift = (diff: string) =>
    diff.replace(
      /^@@ -(\d+)(.*) \+(\d+)/mu,
      (_, old: string, rest: string, now: string) => `@@ -${Number(old) + 1}${rest} +${Number(now) + 1}`,
    );
  const make = () => {
    const scene = makeScene({ files: { f: numbers.join("") } });
    commitFiles(scene.sandbox, { f: numbers.map((line, at) => (at === 20 ? "twenty\n" : line)).join("") });
    return scene;
  };
  const forged = (scene: Scene, change: (diff: string) => string) => ({
    ...scene.source,
    ...forgedSource(scene, (commit) => change(diffOf(scene.sandbox, commit).toString("latin1"))),
  });

  it("an offset: the same content in the end", async () => {
    const scene = make();
    const told: string[] = [];
    const { engine } = await pullExactly({ ...scene, source: forged(scene, shift) }, { detail: (line) => told.push(line) });
    expect(engine).toBe("am");
    expect(told).toEqual([expect.stringContaining("the engine exact makes nothing of commit") as string]);
  });

  it.each([
    ["another content", (diff: string) => diff.replace("+twenty", "+eleven")],
    [
      "another content, with its id",
      (diff: string) => diff.replace("+twenty", "+eleven").replace(/\.\.[0-9a-f]{40}/u, `..${"a".repeat(40)}`),
    ],
    ["an offset for exact alone", shift, "exact" as const],
    ["a file less", () => ""],
    [
      "a file more",
      (diff: string) =>
        `${diff}diff --git a/x b/x\nnew file mode 100644\nindex ${"0".repeat(40)}..e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\n`,
    ],
    ["a mode more", (diff: string) => diff.replace(/index (\S+) 100644/u, "old mode 100644\nnew mode 100755\nindex $1")],
    ["a hunk of 2^63 lines", (diff: string) => diff.replace(/@@ -(\d+),\d+/u, "@@ -$1,9223372036854775807")],
  ])("%s", async (_, change, engine?: "exact") => {
    const scene = make();
    expect(await pullRefused(scene, { source: forged(scene, change), engine })).toMatchObject({ kind: "failure" });
  });
});

describe("a mutated series is refused, or is what its ids say", () => {
  const scene = makeVaried();
  const { sandbox } = scene;
  const commits = sandbox("rev-list", "--reverse", `${scene.base}..HEAD`).split("\n");
  const diffs = ["--no-renames", "-C"].flatMap((option) => commits.map((commit) => diffOf(sandbox, commit, option)));
  const blobs = new Map<string, Buffer>();
  for (const id of sandbox("rev-list", "--objects", "--no-object-names", "HEAD").split("\n"))
    if (sandbox("cat-file", "-t", id) === "blob") blobs.set(id, gitBytes(sandbox.folder, ["cat-file", "blob", id]));
  const contents = { read: (id: string) => Promise.resolve(blobs.get(id) ?? Buffer.from("not the right one\n")) };

  const madeBy = async (item: SeriesItem, diff: Buffer): Promise<Map<string, string> | undefined> => {
    const made = new Map<string, string>();
    try {
      for await (const { id, content } of readMail({ item, diff }, { contents, limit: 1_000_000 }))
        made.set(id, content.toString("latin1"));
    } catch (error) {
      if (!(error instanceof Unsuited)) throw error;
      return undefined;
    }
    return made;
  };

  it("by thousands", async () => {
    const { items } = readSeries(await scene.source.manifest(""), {
      objectFormat: "sha1",
      start: scene.base,
      repositoryId: "rep_1",
    });
    const text = fc.constantFrom(
      "\n",
      " ",
      "-",
      "+",
      "@@ -1 +1 @@\n",
      "\\ No newline at end of file\n",
      "diff --git a/text b/text\n",
      "0",
      "9",
      "a/../x",
      "100755",
      '"',
    );
    const mutation = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      drop: fc.nat(30),
      put: fc.oneof(text, fc.string({ maxLength: 6 })),
    });
    const whole = await Promise.all(diffs.map((diff, at) => madeBy(items[at % items.length] ?? expect.fail(), diff)));
    expect(whole.every((made) => made !== undefined)).toBe(true);
    let [taken, left] = [0, 0];
    await fc.assert(
      fc.asyncProperty(fc.nat(diffs.length - 1), fc.array(mutation, { minLength: 1, maxLength: 2 }), async (which, mutations) => {
        const diff = mutations.reduce(
          (bytes, { at, drop, put }) => {
            const place = Math.floor(at * bytes.length);
            return Buffer.concat([bytes.subarray(0, place), Buffer.from(put, "latin1"), bytes.subarray(place + drop)]);
          },
          diffs[which] ?? Buffer.alloc(0),
        );
        const made = await madeBy(items[which % items.length] ?? expect.fail(), diff);
        if (made === undefined) left += 1;
        else taken += 1;
        // What changes neither paths nor ids can only have changed what nobody reads: a section's name, blank lines at the end.
        if (made !== undefined) expect(made).toEqual(whole[which]);
      }),
      { numRuns: 6000 },
    );
    expect(Math.min(taken, left)).toBeGreaterThan(0);
  });

  it("through the whole engine, some", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(commits.length - 1),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.uint8Array({ minLength: 1, maxLength: 3 }),
        async (which, at, put) => {
          const source = forgedSource(scene, (commit, place) => {
            const diff = diffOf(sandbox, commit);
            const cut = Math.floor(at * diff.length);
            return place === which ? Buffer.concat([diff.subarray(0, cut), put, diff.subarray(cut + 1)]) : diff;
          });
          const local = makeScene({ files: {} }).local;
          gitBytes(local.folder, ["fetch", "--quiet", scene.local.folder, "main"]);
          gitBytes(local.folder, ["reset", "--quiet", "--hard", "FETCH_HEAD"]);
          const { pullInto } = await import("../support/pulling.ts");
          const { FerryError } = await import("../../src/base/errors.ts");
          try {
            await pullInto(local.folder, { ...scene.source, ...source });
            expect(local("rev-parse", "HEAD")).toBe(sandbox("rev-parse", "HEAD"));
            expect(local("fsck", "--strict", "--no-dangling")).toBe("");
          } catch (error) {
            if (!(error instanceof FerryError)) throw error;
            expect(local("rev-parse", "HEAD")).toBe(scene.base);
          }
        },
      ),
      { numRuns: 12 },
    );
  }, 120_000);
});
