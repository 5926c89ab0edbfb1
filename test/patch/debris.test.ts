import { readdirSync, statSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { ended, startPull } from "../support/dying.ts";
import { commitFiles } from "../support/git.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, pullExactly, pullRefused, removeScenes, type Scene } from "../support/scene.ts";

/** Nothing half-written is left among the user's objects. */

afterAll(removeScenes);

const sizes = { "a few": 1, "a hundred": 100 } as const;
const kinds = Object.keys(sizes) as (keyof typeof sizes)[];

/** Files in the folders of objects that are none: `tmp_obj_…`, `tmp_pack_…`, or a folder that git writes them in. */
function debris({ local }: Scene): string[] {
  const all = readdirSync(`${local.folder}/.git/objects`, { recursive: true, encoding: "utf8" });
  return all.filter((name) => name.includes("tmp_"));
}

function makeSeries(kind: keyof typeof sizes, more: Readonly<Record<string, string>> = {}): Scene {
  const scene = makeScene();
  const files = Object.fromEntries(Array.from({ length: sizes[kind] }, (_, at) => [`f${at}`, `${at}\n`]));
  commitFiles(scene.sandbox, { ...files, ...more });
  return scene;
}

describe.each(kinds)("with %s new objects", (kind) => {
  it("that git refuses", async () => {
    const scene = makeSeries(kind, { ".gitmodules": '[submodule "s"]\n\tpath = s\n\turl = -u./x\n' });
    expect(await pullRefused(scene)).toMatchObject({ code: "policy" });
    expect(debris(scene)).toEqual([]);
  });

  it("and ferry killed when they are there: the next run takes its folder away", async () => {
    const scene = makeSeries(kind);
    await ended(startPull(scene, "promoted"));
    expect(debris(scene)).not.toEqual([]);
    await pullInto(scene.local.folder, scene.source, { dryRun: true });
    expect(debris(scene)).toEqual([]);
    await pullExactly(scene);
    expect(debris(scene)).toEqual([]);
    expect(scene.local("count-objects", "-v")).toMatch(/garbage: 0/u);
  });
});

it("folders of objects are as shared as the others", async () => {
  const scene = makeScene({ init: ["--shared=group"] });
  commitFiles(scene.sandbox, { a: "A\n", "deep/b": "B\n" });
  await pullExactly(scene);
  const objects = `${scene.local.folder}/.git/objects`;
  const modes = new Set(readdirSync(objects).map((name) => statSync(`${objects}/${name}`).mode & 0o7777));
  expect([...modes]).toEqual([0o2775]);
});
