import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { folderOf, makeFolder } from "../../../../src/service/sandbox/folder/layout.ts";
import { emptyTrash, throwAway, trashed } from "../../../../src/service/sandbox/folder/trash.ts";
import { makeDeep } from "../../../support/deep.ts";

let data = "";
let root = "";

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "ferry-folder-"));
  root = join(data, "sandboxes");
  onTestFinished(() => rm(data, { recursive: true }));
});

async function discard(of: string, path: string): Promise<void> {
  await throwAway(of, path);
  await emptyTrash(await trashed(of), new AbortController().signal);
}

test.each(["", ".", "..", "a/b", "../x", "a b", "é"])("an id that could lead elsewhere is refused: %j", (id) => {
  expect(() => folderOf("/root", id)).toThrow(/is no id of a sandbox/);
});

test("the folder of all is the service's alone, and a sandbox is made once", async () => {
  const folder = await makeFolder(root, "one");
  expect((await stat(root)).mode & 0o777).toBe(0o700);
  for (const path of [folder.workspace, folder.home, folder.records]) expect((await stat(path)).mode & 0o777).toBe(0o700);
  await expect(makeFolder(root, "one")).rejects.toThrow(/the sandbox one can't be made/);
});

test("what is thrown away goes whole, and links lead nowhere", async () => {
  const precious = join(data, "precious");
  await mkdir(precious);
  await writeFile(join(precious, "file"), "x");
  const { path, workspace } = await makeFolder(root, "one");
  await symlink(precious, join(workspace, "link"));
  await mkdir(join(workspace, "deep", "er"), { recursive: true });
  await discard(root, path);
  expect(await readdir(root)).toEqual([]);
  expect(await readdir(join(data, "trash"))).toEqual([]);
  expect(await readFile(join(precious, "file"), "utf8")).toBe("x");
});

test("a folder that was itself replaced by a link is removed as a link", async () => {
  const precious = join(data, "precious");
  await mkdir(precious);
  await writeFile(join(precious, "file"), "x");
  await mkdir(root);
  await symlink(precious, join(root, "one"));
  await discard(root, join(root, "one"));
  expect(await readdir(root)).toEqual([]);
  expect(await readdir(precious)).toEqual(["file"]);
});

test("nothing there is nothing to do", async () => {
  await discard(root, join(root, "none"));
  expect(await readdir(join(data, "trash"))).toEqual([]);
});

test("what an earlier removal left is removed, and what comes meanwhile isn't touched", async () => {
  expect(await trashed(root)).toEqual([]);
  await mkdir(join(data, "trash", "one-x", "folder", "repo"), { recursive: true });
  const left = await trashed(root);
  await throwAway(root, (await makeFolder(root, "two")).path);
  await emptyTrash(left, new AbortController().signal);
  expect(await readdir(join(data, "trash"))).toEqual([expect.stringMatching(/^two-/u)]);
});

test("what is thrown away lies in the trash whole until that is emptied, and an emptying that is cut is gone on with", async () => {
  const { path, workspace } = await makeFolder(root, "one");
  for (const name of Array.from({ length: 100 }, (_, at) => String(at))) await writeFile(join(workspace, name), "");
  await throwAway(root, path);
  expect(await readdir(root)).toEqual([]);
  const [place = ""] = await trashed(root);
  expect(await readdir(join(place, "folder", "repo"))).toHaveLength(100);
  await emptyTrash(await trashed(root), AbortSignal.abort());
  const left = await trashed(root);
  expect(left.length).toBeGreaterThan(0);
  await emptyTrash(left, new AbortController().signal);
  expect(await trashed(root)).toEqual([]);
});

test.runIf(process.platform === "linux")(
  "folders deeper than any path, names that are no text, and shut ones go, too",
  async () => {
    const { path, workspace } = await makeFolder(root, "one");
    for (const name of ["shut", "deep"]) await chmod(makeDeep(workspace, name), 0);
    await discard(root, path);
    expect(await trashed(root)).toEqual([]);
    expect(await readdir(root)).toEqual([]);
  },
);
