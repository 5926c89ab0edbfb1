import { afterAll, describe, expect, it } from "vitest";
import { subjectOf } from "../../src/patch/series/subject.ts";
import type { Manifest, ManifestItem } from "../../src/wire/patches.ts";
import { commitFiles } from "../support/git.ts";
import { patchEngines, pullInto } from "../support/pulling.ts";
import { makeScene, pullRefused, removeScenes, type Scene } from "../support/scene.ts";
import { tamperedSource } from "../support/series.ts";
import { stateOf } from "../support/state.ts";

afterAll(removeScenes);

function makeSeries(): Scene & { readonly honest: { folder: string; branch: string; base: string } } {
  const scene = makeScene();
  commitFiles(scene.sandbox, { a: "x\n" }, "one");
  commitFiles(scene.sandbox, { b: "y\n" }, "two");
  commitFiles(scene.sandbox, { c: "z\n" }, "three");
  return { ...scene, honest: { folder: scene.sandbox.folder, branch: "HEAD", base: scene.base } };
}

const swapped = (id: string) => (id.startsWith("0") ? `1${id.slice(1)}` : `0${id.slice(1)}`);
const zero = "0".repeat(40);
const [one, two] = ["1".repeat(40), "2".repeat(40)];

type Lies<Of> = Readonly<Record<string, (of: Of) => Partial<Of>>>;

/** A row for each field: what is a lie about it, and refused. */
const refused: { readonly [Field in keyof Manifest]: Lies<Manifest> } = {
  repository_id: { another: () => ({ repository_id: "rep_2" }) },
  object_format: { another: () => ({ object_format: "sha256" }), none: () => ({ object_format: "\u001b[31m" }) },
  base_commit: {
    another: (manifest) => ({ base_commit: swapped(manifest.base_commit) }),
    none: () => ({ base_commit: "" }),
    "no id": () => ({ base_commit: "--all" }),
  },
  head_commit: {
    another: (manifest) => ({ head_commit: swapped(manifest.head_commit) }),
    earlier: ({ items }) => ({ head_commit: items[0]?.commit ?? "" }),
  },
  mailable: {},
  reason: {},
  next_cursor: {},
  items: {
    "one less": ({ items }) => ({ items: items.slice(0, -1) }),
    "the first less": ({ items }) => ({ items: items.slice(1) }),
    "one twice": ({ items }) => ({ items: [...items, ...items.slice(-1)] }),
    "another order": ({ items }) => ({ items: [...items].reverse() }),
    none: () => ({ items: [] }),
  },
};

const refusedItem: { readonly [Field in keyof ManifestItem]: Lies<ManifestItem> } = {
  sequence: { "a gap": () => ({ sequence: 7 }), again: () => ({ sequence: 1 }) },
  commit: { another: ({ commit }) => ({ commit: swapped(commit) }), "no id": () => ({ commit: "--output=/tmp/x" }) },
  parents: {
    another: ({ parents }) => ({ parents: parents.map(swapped) }),
    more: ({ parents, commit }) => ({ parents: [...parents, swapped(commit)] }),
    none: () => ({ parents: [] }),
  },
  tree: { another: ({ tree }) => ({ tree: swapped(tree) }) },
  raw: { none: () => ({ raw: "" }), another: () => ({ raw: Buffer.from(`tree ${one}\n\nx\n`).toString("base64") }) },
  subject: {},
  changes: {
    none: () => ({ changes: [] }),
    "no change": () => ({ changes: ["x"] }),
    "one more": ({ changes }) => ({ changes: [...changes, `:100644 100644 ${one} ${two} M\tdir/d`] }),
    "one more, added": ({ changes }) => ({ changes: [...changes, `:000000 100644 ${zero} ${two} A\tnew`] }),
    "one twice": ({ changes }) => ({ changes: [...changes, ...changes] }),
    "another path": ({ changes }) => ({ changes: changes.map((change) => change.replace(/\t.*/u, "\tc")) }),
    "another mode": ({ changes }) => ({ changes: changes.map((change) => change.replace(" 100644", " 100755")) }),
    "another blob": ({ changes }) => ({ changes: changes.map((change) => change.replace(/[0-9a-f]{40} M/u, `${two} M`)) }),
    "another blob before": ({ changes }) => ({ changes: changes.map((change) => change.replace(/ [0-9a-f]{40} /u, ` ${one} `)) }),
  },
  bytes: {
    more: ({ bytes }) => ({ bytes: bytes + 1 }),
    fewer: () => ({ bytes: 10, diff_offset: 10 }),
    "far too many": () => ({ bytes: Number.MAX_SAFE_INTEGER }),
  },
  sha256: { another: ({ sha256 }) => ({ sha256: swapped(sha256) }), none: () => ({ sha256: "" }) },
  diff_offset: {
    "at the start": () => ({ diff_offset: 0 }),
    "at the end": ({ bytes }) => ({ diff_offset: bytes }),
    "behind the end": ({ bytes }) => ({ diff_offset: bytes + 1 }),
  },
};

/** What the manifest may say as it likes: what comes, and what is told of it, is from the commits themselves. */
const irrelevant: Lies<Manifest> = {
  "another reason": () => ({ reason: "evil" }),
  "a cursor to more": () => ({ next_cursor: "x" }),
  "no repository": () => ({ repository_id: "" }),
};
const irrelevantItem: Lies<ManifestItem> = {
  "another subject": () => ({ subject: "harmless" }),
  "another status": ({ changes }) => ({ changes: changes.map((change) => change.replace(" M\t", " R100\t")) }),
};

function rows<Of>(fields: Readonly<Record<string, Lies<Of>>>): [string, (of: Of) => Partial<Of>][] {
  return Object.entries(fields).flatMap(([field, lies]) =>
    Object.entries(lies).map(([how, lie]): [string, (of: Of) => Partial<Of>] => [`${field}: ${how}`, lie]),
  );
}

/** Told of the second commit. */
const ofItem = (lie: (item: ManifestItem) => Partial<ManifestItem>) => (manifest: Manifest) => ({
  items: manifest.items.map((item, at) => (at === 1 ? { ...item, ...lie(item) } : item)),
});

describe.each(patchEngines)("a manifest that lies, to %s", (first) => {
  // What exact makes nothing of is am's to judge.
  const engine = first === "am" ? first : undefined;
  const scene = makeSeries();
  const lying = (lie: (manifest: Manifest) => Partial<Manifest>) =>
    tamperedSource(scene.honest, { manifest: (manifest) => ({ ...manifest, ...lie(manifest) }) });

  it.each([...rows(refused), ...rows(refusedItem).map(([name, lie]) => [name, ofItem(lie)] as const)])(
    "is refused: %s",
    async (_name, lie) => {
      const error = await pullRefused(scene, { source: lying(lie), engine });
      expect(error).toMatchObject({ kind: "failure", code: "lie" });
      expect(error.message).not.toMatch(/[\n\u001b]/u);
    },
  );

  it.each([...Object.entries(irrelevant), ...Object.entries(irrelevantItem).map(([name, lie]) => [name, ofItem(lie)] as const)])(
    "makes no difference: %s",
    async (_name, lie) => {
      const before = stateOf(scene.local.folder);
      const honest = await pullInto(scene.local.folder, scene.source, { engine, dryRun: true });
      expect(await pullInto(scene.local.folder, lying(lie), { engine, dryRun: true })).toEqual(honest);
      expect(honest.commits.map(({ subject }) => subject)).toEqual(["one", "two", "three"]);
      expect(stateOf(scene.local.folder)).toEqual(before);
    },
  );

  it("makes no difference: that it can't be mail", async () => {
    const lie = lying(() => ({ mailable: false, reason: "" }));
    const { commits, tip } = await pullInto(scene.local.folder, lie, { dryRun: true });
    expect(tip).toBe(scene.sandbox("rev-parse", "HEAD"));
    expect(commits.map(({ applied_as }) => applied_as)).toEqual(commits.map(({ commit }) => commit));
  });
});

it.each([
  ["plain", "", "one\n\ntwo\n", "one"],
  ["behind blank lines", "", "\n \n one\ntwo\n", "one"],
  ["none", "", "\n", ""],
  ["harmful", "", "a\u001b[2Jb\tc\r\n", "a\u241b[2Jb c"],
  ["in an encoding", "encoding ISO-8859-1\n", Buffer.from("gr\u00fcn\n", "latin1"), "gr\u00fcn"],
  ["in one that isn't its own", "encoding US-ASCII\n", "gr\u00fcn\n", "gr\u00fcn"],
  ["in one that nobody knows", "encoding x-none\n", "gr\u00fcn\n", "gr\u00fcn"],
])("a commit's subject: %s", (_name, header, message, subject) => {
  const raw = Buffer.concat([Buffer.from(`tree ${one}\nauthor a <a@b> 1 +0000\n${header}\n`), Buffer.from(message)]);
  expect(subjectOf(raw)).toBe(subject);
});
