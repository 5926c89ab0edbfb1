import fc from "fast-check";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeGit } from "../../../src/git/runner.ts";
import { systemFiles } from "../../../src/host/files.ts";
import { makeProcesses } from "../../../src/host/processes.ts";
import { formatHeader, parseHeader, readBundle } from "../../../src/service/session/repository/bundle.ts";
import { takeIn } from "../../../src/service/session/repository/take-in.ts";
import { commitFiles, gitBytes, gitIn, makeFolder, makeRepository, type TestGit } from "../../support/git.ts";

const git = makeGit({ env: process.env, platform: process.platform, processes: makeProcesses(process.env, process.platform) });

let folder: ReturnType<typeof makeFolder>;
let sandbox: TestGit;
let session: TestGit;
let base: string;
let tip: string;
const ref = "refs/heads/main";

beforeEach(() => {
  folder = makeFolder();
  sandbox = makeRepository(join(folder.path, "sandbox"));
  base = commitFiles(sandbox, { a: "1\n" });
  gitIn(folder.path)("clone", "--quiet", "--bare", "--no-local", "sandbox", "session.git");
  session = gitIn(join(folder.path, "session.git"));
  tip = commitFiles(sandbox, { a: "2\n", b: "new\n" });
});

afterEach(() => folder.remove());

const bundleOf = (...revisions: string[]) => gitBytes(sandbox.folder, ["bundle", "create", "--quiet", "-", ...revisions]);
const take = (bundle: Buffer, commit = tip) =>
  takeIn({ git, host: { files: systemFiles } as Parameters<typeof takeIn>[0]["host"] }, bundle, {
    gitDir: session.folder,
    quarantine: join(folder.path, "quarantine"),
    ref: { name: ref, commit },
  });
const objects = () => session("count-objects", "-v");

test("a sound bundle's commits get in, and no ref moves", async () => {
  await take(bundleOf("main", `^${base}`));
  expect(session("rev-parse", `${tip}^{commit}`)).toBe(tip);
  expect(session("fsck", "--strict", "--connectivity-only")).toContain(`dangling commit ${tip}`);
  expect(session("rev-parse", "main")).toBe(base);
  expect(readdirSync(folder.path).sort()).toEqual(["sandbox", "session.git"]);
});

describe("refused, with nothing left of it", () => {
  const cut = (bundle: Buffer, at: number) => bundle.subarray(0, at);
  const edit = (bundle: Buffer, from: string, to: string) => {
    const { pack } = readBundle(bundle);
    const header = bundle.subarray(0, bundle.length - pack.length).toString();
    expect(header).toContain(from);
    return Buffer.concat([Buffer.from(header.replace(from, to)), pack]);
  };
  const other = "f".repeat(40);
  const cases: [string, () => Buffer, RegExp][] = [
    ["no bundle", () => Buffer.from("hello\n\nworld"), /no bundle/u],
    ["nothing", () => Buffer.alloc(0), /no bundle/u],
    ["another branch", () => edit(bundleOf("main", `^${base}`), ref, "refs/heads/other"), /something else/u],
    ["another commit", () => edit(bundleOf("main", `^${base}`), tip, other), /something else/u],
    ["one more ref", () => edit(bundleOf("main", `^${base}`), "\n\n", `\n${tip} refs/heads/more\n\n`), /something else/u],
    ["an unknown line", () => edit(bundleOf("main", `^${base}`), "\n\n", "\nhello\n\n"), /not understood/u],
    ["an unknown prerequisite", () => edit(bundleOf("main", `^${base}`), `-${base}`, `-${other}`), /doesn't have/u],
    ["a pack that ends early", () => cut(bundleOf("main", `^${base}`), bundleOf("main", `^${base}`).length - 30), /index-pack/u],
    [
      "a pack with a changed byte",
      () => Buffer.from(bundleOf("main", `^${base}`).map((byte, at, all) => (at === all.length - 40 ? byte ^ 1 : byte))),
      /index-pack/u,
    ],
    ["a series with a hole", () => hole(), /index-pack|rev-list/u],
  ];
  /** The header promises the tip, the pack holds only its tree and files. */
  function hole(): Buffer {
    const pack = gitBytes(sandbox.folder, ["pack-objects", "--quiet", "--revs", "--stdout"], { input: `${tip}^{tree}\n` });
    return Buffer.concat([
      Buffer.from(formatHeader({ objectFormat: "sha1", prerequisites: [base], refs: [{ name: ref, commit: tip }] })),
      pack,
    ]);
  }

  test.each(cases)("%s", async (_name, bundle, reason) => {
    const before = objects();
    await expect(take(bundle())).rejects.toThrow(reason);
    expect(objects()).toBe(before);
    expect(existsSync(join(folder.path, "quarantine"))).toBe(false);
  });

  test.each([
    ["a .git folder in a tree", "040000 tree %s\t.git"],
    ["a name with a slash's disguise", "100644 blob %s\tgit~1"],
    ["a link as .gitmodules", "120000 blob %s\t.gitmodules"],
  ])("%s", async (_name, line) => {
    const blob = gitBytes(sandbox.folder, ["hash-object", "-w", "--stdin"], { input: "/etc/passwd" }).toString().trim();
    const id = line.includes("tree") ? sandbox("rev-parse", "HEAD^{tree}") : blob;
    const tree = gitBytes(sandbox.folder, ["mktree"], { input: `${line.replace("%s", id)}\n` })
      .toString()
      .trim();
    const evil = sandbox("commit-tree", tree, "-p", base, "-m", "evil");
    sandbox("update-ref", ref, evil);
    const before = objects();
    await expect(take(bundleOf("main", `^${base}`), evil)).rejects.toThrow(/index-pack/u);
    expect(objects()).toBe(before);
  });
});

test("a commit that git would hold tens of MB for, each time that it is read, is refused by its name", async () => {
  const message = Buffer.alloc(17 * 1024 * 1024, "x".repeat(63) + "\n");
  const tree = sandbox("rev-parse", "HEAD^{tree}");
  const large = gitBytes(sandbox.folder, ["commit-tree", tree, "-p", base], { input: message }).toString().trim();
  sandbox("update-ref", ref, large);
  const before = objects();
  await expect(take(bundleOf("main", `^${base}`), large)).rejects.toThrow(
    new RegExp(`^the commit ${large} has 178[0-9]+ bytes, and 16777216 are the most that is taken from a sandbox$`, "u"),
  );
  expect(objects()).toBe(before);
  expect(existsSync(join(folder.path, "quarantine"))).toBe(false);
});

const id = fc.string({ unit: fc.constantFrom(...Array.from("0123456789abcdef")), minLength: 40, maxLength: 40 });
const headers = fc.record({
  objectFormat: fc.constantFrom("sha1", "sha256"),
  prerequisites: fc.array(id, { maxLength: 3 }),
  refs: fc.array(fc.record({ commit: id, name: fc.constantFrom("refs/heads/a", "refs/heads/ü/b") }), { maxLength: 3 }),
});

test("a header is read as it was written, and what isn't one is refused, never misread", () => {
  fc.assert(
    fc.property(headers, fc.uint8Array(), (header, pack) => {
      expect(readBundle(Buffer.concat([Buffer.from(formatHeader(header)), pack]))).toEqual({ header, pack: Buffer.from(pack) });
    }),
  );
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(() => parseHeader(text)).toThrow(/bundle/u);
    }),
  );
});
