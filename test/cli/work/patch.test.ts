import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ferry } from "../../support/ferry.ts";
import { commitFiles, gitBytes, gitIn, makeRepository } from "../../support/git.ts";
import { makeManifest, sandboxSource, type Sandbox } from "../../support/series.ts";
import { makeTestService, type TestService } from "../../support/service.ts";
import { makeWorld, type World } from "../../support/world.ts";
import type { ManifestItem } from "../../../src/wire/patches.ts";

const url = "https://agents.example.com";

let world: World;
let service: TestService;
let id: string;
let sandbox: Sandbox;

beforeEach(async () => {
  service = await makeTestService();
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key } });
  world.services.set(url, service.send);
  await ferry(world, "repo", "create", "--clone-url", "https://x.example/acme/a.git");
  const { stdout } = await ferry(world.next(), "session", "start", "--repo", "acme/a", "--json");
  ({ id } = JSON.parse(stdout) as { id: string });
  const git = makeRepository(join(world.folder, "sandbox"));
  commitFiles(git, { a: "a\n" }, "first");
  const base = git("rev-parse", "HEAD");
  commitFiles(git, { b: "b\n" }, "second");
  sandbox = { folder: git.folder, branch: "main", base };
});
afterEach(async () => {
  await service.close();
  await world.dispose();
});

async function serve(
  change: { readonly mailable: boolean; readonly reason: string },
  lies: Partial<ManifestItem> = {},
): Promise<void> {
  const honest = makeManifest(sandbox, "");
  const manifest = { ...honest, ...change, items: honest.items.map((item) => ({ ...item, ...lies })) };
  const mbox: Uint8Array[] = [];
  for await (const chunk of sandboxSource(sandbox).mbox("", manifest.head_commit)) mbox.push(chunk);
  service.sessions.setSeries(id, { manifest, mbox, bundle: [] });
}

test("patch --fields: what this manifest hasn't is null", async () => {
  await serve({ mailable: true, reason: "" });
  const { code, stdout } = await ferry(world.next(), "patch", id, "--fields", "base_commit,left_behind");
  expect({ code, stdout }).toEqual({ code: 0, stdout: `{"base_commit":"${sandbox.base}","left_behind":null}\n` });
});

test("patch --output-directory says what is in the way, and not where ferry's own files can lie", async () => {
  await serve({ mailable: true, reason: "" });
  const file = join(world.folder, "file");
  writeFileSync(file, "");
  const into = (folder: string) => ferry(world.next(), "patch", id, "--output-directory", folder);
  expect(await into(file)).toEqual({ code: 2, stdout: "", stderr: `ferry: not a folder: ${file}\n` });
  expect(await into(join(file, "below"))).toEqual({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/^ferry: can't write .*\n$/u) as string,
  });
});

test("patch --json is the manifest, also of a series that can't be a mailbox", async () => {
  await serve({ mailable: false, reason: "has a merge" });
  const { code, stdout } = await ferry(world.next(), "patch", id, "--json");
  expect({ code, manifest: JSON.parse(stdout) as unknown }).toEqual({
    code: 0,
    manifest: expect.objectContaining({
      base_commit: sandbox.base,
      mailable: false,
      items: [expect.objectContaining({ sequence: 1, subject: "second" })],
    }) as unknown,
  });
  expect(await ferry(world.next(), "patch", id)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("has a merge") as string,
  });
});

test("--output-directory writes its files beside the JSON", async () => {
  await serve({ mailable: true, reason: "" });
  const { code, stdout, stderr } = await ferry(world.next(), "patch", id, "--json", "--output-directory", "out");
  expect({ code, stderr }).toEqual({ code: 0, stderr: `1 patch in ${join(world.folder, "out")}\n` });
  expect(JSON.parse(stdout)).toMatchObject({ mailable: true });
  const written = await world.host.files.readText(join(world.folder, "out", "0001-second.patch"));
  expect((await ferry(world.next(), "patch", id)).stdout).toBe(written);
});

test("--output-directory names the files by the commits, whatever the manifest calls them", async () => {
  await serve({ mailable: true, reason: "" }, { subject: "other", sequence: -500 });
  expect(await ferry(world.next(), "patch", id, "--output-directory", "out")).toMatchObject({ code: 0 });
  expect(readdirSync(join(world.folder, "out"))).toEqual(["0001-second.patch"]);
});

test.each<[string, Partial<ManifestItem>]>([
  ["another length", { bytes: 10, diff_offset: 0 }],
  ["another hash", { sha256: "0".repeat(64) }],
  ["another commit", { commit: "0".repeat(40) }],
])("--output-directory writes no message of %s than the manifest tells of", async (_, lies) => {
  await serve({ mailable: true, reason: "" }, lies);
  expect(await ferry(world.next(), "patch", id, "--output-directory", "out")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("doesn't hold what it says") as string,
  });
  expect(existsSync(join(world.folder, "out")) ? readdirSync(join(world.folder, "out")) : []).toEqual([]);
});

test("into git am: the commits with their trees and messages, also of a session that has ended", async () => {
  const git = gitIn(sandbox.folder);
  commitFiles(git, { c: "crlf\r\nno newline", b: null }, "[x] third\n\nFrom here on\n>From there\n-- \nbody\n");
  commitFiles(git, { d: Buffer.from([0, 1, 2, 255]) }, "fourth");
  commitFiles(git, {}, "empty");
  await serve({ mailable: true, reason: "" });
  const clone = join(world.folder, "clone");
  gitBytes(world.folder, ["clone", "--quiet", sandbox.folder, clone]);
  const local = gitIn(clone);
  const told = "--format=%T %an %ae %ad %B";
  for (const ended of [false, true]) {
    if (ended) expect(await ferry(world.next(), "session", "close", id, "--yes")).toMatchObject({ code: 0 });
    const run = world.next();
    expect(await ferry(run, "patch", id)).toMatchObject({ code: 0 });
    local("reset", "--quiet", "--hard", sandbox.base);
    const am = ["am", "--quiet", "-k", "--keep-cr", "--no-scissors", "--empty=keep", "--patch-format=mboxrd"];
    gitBytes(clone, am, { input: Buffer.concat(run.terminal.written.bytes) });
    expect(local("log", told)).toBe(git("log", told));
  }
});

test("what a patch has in it does nothing to a terminal, and is byte for byte in a pipe", async () => {
  const git = gitIn(sandbox.folder);
  commitFiles(git, { c: "\x1b]0;title\x07\r\nä\n" }, "third");
  await serve({ mailable: true, reason: "" });
  const shown = await ferry(world.next({ env: { PAGER: "cat" } }, { tty: true }), "patch", id);
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\+[^\x1b]+\]0;title[^\x07]+$/mu) as string });
  expect(shown.stdout).not.toMatch(/[\x1b\x07]/u);
  expect(shown.stdout).toContain("+ä\n");
  expect((await ferry(world.next(), "patch", id)).stdout).toContain("+\x1b]0;title\x07\r\n+ä\n");
});
