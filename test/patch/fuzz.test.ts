import { readFileSync, rmSync } from "node:fs";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { FerryError } from "../../src/base/errors.ts";
import { unquotePath } from "../../src/git/path.ts";
import { badLink } from "../../src/patch/judge/links.ts";
import { badPath } from "../../src/patch/judge/names.ts";
import { ByteReader } from "../../src/patch/series/bytes.ts";
import { readMails, spoolMails } from "../../src/patch/series/mails.ts";
import { readSeries } from "../../src/patch/series/series.ts";
import type { Manifest, ManifestItem } from "../../src/wire/patches.ts";
import { commitFiles, makeFolder } from "../support/git.ts";
import { makeScene, removeScenes } from "../support/scene.ts";
import { makeManifest, makeMbox } from "../support/series.ts";

const folder = makeFolder();
afterAll(() => {
  removeScenes();
  folder.remove();
});

const scene = makeScene();
commitFiles(scene.sandbox, { a: "x\n", ü: "y\n" }, "one");
commitFiles(scene.sandbox, { b: Buffer.from([0, 1, 2]), c: null }, "two");
commitFiles(scene.sandbox, {}, "three");
const sandbox = { folder: scene.sandbox.folder, branch: "HEAD", base: scene.base };
const honest = makeManifest(sandbox, "");
const mbox = makeMbox(sandbox, "", honest.head_commit);
const expected = { objectFormat: "sha1", start: scene.base, repositoryId: "rep_1" } as const;
const series = readSeries(honest, expected);

describe("readers of what the service sends: the truth, or a refusal", () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.constantFrom("", "0".repeat(40), "-", "--x", "\0", '"', '"\\', ":"),
  );
  const number = fc.oneof(fc.nat(), fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER));
  const lie: fc.Arbitrary<Partial<ManifestItem>> = fc.oneof(
    fc.record({ commit: text }),
    fc.record({ tree: text }),
    fc.record({ parents: fc.array(text, { maxLength: 3 }) }),
    fc.record({
      raw: fc.oneof(
        text,
        fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("base64")),
      ),
    }),
    fc.record({ sequence: number }),
    fc.record({ bytes: number }),
    fc.record({ diff_offset: number }),
    fc.record({ changes: fc.array(text, { maxLength: 3 }) }),
  );

  it("a manifest", () => {
    fc.assert(
      fc.property(fc.nat(2), lie, (place, change) => {
        const items = honest.items.map((item, at) => (at === place ? { ...item, ...change } : item));
        let read;
        try {
          read = readSeries({ ...honest, items }, expected);
        } catch (error) {
          expect(error).toBeInstanceOf(FerryError);
          return;
        }
        // What the ids vouch for can't be another; the rest is checked with the patches.
        const vouched = read.items.map(({ commit, tree, parents, raw }) => [commit, tree, parents, raw.toString("base64")]);
        expect(vouched).toEqual(
          series.items.map(({ commit, tree, parents, raw }) => [commit, tree, parents, raw.toString("base64")]),
        );
      }),
      { numRuns: 3000 },
    );
  });

  it("a manifest's own fields", () => {
    fc.assert(
      fc.property(
        fc.record({ object_format: text, base_commit: text, head_commit: text, mailable: fc.boolean() }, { requiredKeys: [] }),
        (change) => {
          const manifest: Manifest = { ...honest, ...change };
          try {
            expect(readSeries(manifest, { ...expected, start: manifest.base_commit }).tip).toBe(series.tip);
          } catch (error) {
            if (!(error instanceof FerryError)) throw error;
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("an mbox", async () => {
    const path = `${folder.path}/mails`;
    const mutation = fc.record({ at: fc.nat(mbox.length), drop: fc.nat(20), put: fc.uint8Array({ maxLength: 20 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 2 }), async (mutations) => {
        const bytes = mutations.reduce(
          (all, { at, drop, put }) => Buffer.concat([all.subarray(0, at), put, all.subarray(at + drop)]),
          mbox,
        );
        rmSync(path, { force: true });
        const spooled = await spoolMails(readMails(once(bytes), series.items), path, () => undefined).catch(
          (error: unknown) => error,
        );
        if (!bytes.equals(mbox)) expect(spooled).toMatchObject({ code: "lie" });
      }),
      { numRuns: 1500 },
    );
    rmSync(path, { force: true });
    await spoolMails(readMails(once(mbox), series.items), path, () => undefined);
    expect(readFileSync(path, "latin1")).not.toContain("Ada");
  });
});

describe("readers that refuse nothing never throw", () => {
  const path = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(fc.constantFrom("..", ".", "", ".git", "a", "l", "GIT~1"), { maxLength: 8 }).map((names) => names.join("/")),
  );

  it("quoted paths, names, links", () => {
    fc.assert(
      fc.property(path, fc.dictionary(path, path, { maxKeys: 4 }), (one, links) => {
        unquotePath(`"${one}"`);
        for (const platform of ["linux", "win32"] as const) badPath(one, platform);
        for (const each of Object.keys(links)) badLink(each, new Map(Object.entries(links)), "win32");
      }),
      { numRuns: 3000 },
    );
  });

  it("a link that is let through stays inside, followed as the system would", () => {
    const name = fc.constantFrom("a", "b", "c");
    const target = fc
      .array(fc.constantFrom("a", "b", "c", "..", "."), { minLength: 1, maxLength: 5 })
      .map((names) => names.join("/"));
    const place = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
    fc.assert(
      fc.property(fc.dictionary(place, target, { minKeys: 1, maxKeys: 5 }), (all) => {
        const links = new Map(Object.entries(all));
        for (const each of links.keys()) if (badLink(each, links, "linux") === undefined) expect(follow(each, links)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });
});

describe("bytes", () => {
  it("are cut where asked, however they came", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 9 })),
        fc.array(fc.nat(12), { maxLength: 5 }),
        async (pieces, sizes) => {
          const reader = new ByteReader(each(pieces));
          const got: Buffer[] = [];
          for (const size of sizes) for await (const piece of reader.take(size)) got.push(Buffer.from(piece));
          for await (const piece of reader.toEnd()) got.push(Buffer.from(piece));
          expect(Buffer.concat(got)).toEqual(Buffer.concat(pieces));
          expect(await reader.ended()).toBe(true);
        },
      ),
    );
  });
});

/** The same question asked in another way: by going, with a bound, and looking whether one ever stands above the root. */
function follow(start: string, links: ReadonlyMap<string, string>): boolean {
  let depth: string[] = [];
  let names = start.split("/");
  for (let steps = 0; steps < 500; steps += 1) {
    const [name, ...rest] = names;
    if (name === undefined) return true;
    names = rest;
    if (name === "." || name === "") continue;
    if (name === "..") {
      if (depth.length === 0) return false;
      depth = depth.slice(0, -1);
      continue;
    }
    const target = links.get([...depth, name].join("/"));
    if (target === undefined) depth = [...depth, name];
    else names = [...target.split("/"), ...names];
  }
  return true;
}

async function* each(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield await Promise.resolve(piece);
}

async function* once(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}
