import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { deflateSync } from "node:zlib";
import { afterAll, describe, expect, inject, it } from "vitest";
import { forgedSource } from "../support/forge.ts";
import { commitFiles, gitBytes, gitEnv, makeFolder, type TestGit } from "../support/git.ts";
import type { PullChild } from "../support/pull-child.ts";
import { patchEngines } from "../support/pulling.ts";
import { makeScene, pullExactly, pullRefused, removeScenes, type Scene } from "../support/scene.ts";
import { stateOf } from "../support/state.ts";
import { base85 } from "../support/base85.ts";

const folder = makeFolder();
afterAll(() => {
  folder.remove();
  removeScenes();
});

const zeros = "0".repeat(40);
const binary = (block: string) =>
  `diff --git a/z b/z\nnew file mode 100644\nindex ${zeros}..${"1".repeat(40)}\nGIT binary patch\n${block}\nliteral 0\nHcmV?d00001\n\n`;

describe.each([undefined, ...patchEngines])("a small patch that stands for a large file, by %s", (engine) => {
  const make = () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { z: "z\n" });
    return scene;
  };

  it.each([
    ["1 GiB of zeros", () => `literal ${2 ** 30}\n${base85(deflateSync(Buffer.alloc(1 << 20)))}\n`],
    [
      "a delta that makes 2^40 bytes",
      () => `delta 12\n${base85(deflateSync(Buffer.from([0, 128, 128, 128, 128, 128, 64, 0])))}\n`,
    ],
    ["a delta whose size is hidden", () => `delta 12\n${base85(Buffer.concat([Buffer.from([0x78, 1]), empties(800)]))}\n`],
    ["2^63 bytes", () => "literal 9223372036854775808\nHcmV?d00001\n"],
    ["a size that wraps around", () => "literal 18446744073709551620\nHcmV?d00001\n"],
  ])("%s is refused", async (_, block) => {
    const scene = make();
    const source = { ...scene.source, ...forgedSource(scene, () => binary(block())) };
    // By bundle, which comes next, the honest commit would come.
    const { bundle } = { bundle: () => nothing() };
    expect(await pullRefused(scene, { source: { ...source, bundle }, engine })).toMatchObject({ kind: "failure" });
  });
});

/** Stored blocks of zlib with nothing in them. */
function empties(number: number): Buffer {
  return Buffer.concat(Array.from({ length: number }, () => Buffer.from([0, 0, 0, 0xff, 0xff])));
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.alloc(0));
}

describe("hunks and subjects", () => {
  it.each(["-9223372036854775808", "-1,9223372036854775808", "-1,18446744073709551617", "-1,4294967297"])(
    "@@ %s",
    async (range) => {
      const scene = makeScene();
      commitFiles(scene.sandbox, { a: "1\nzwei\n3\n" });
      const diff = (commit: string) => gitBytes(scene.sandbox.folder, ["diff-tree", "-p", "--full-index", `${commit}~`, commit]);
      const source = forgedSource(scene, (commit) => diff(commit).toString().replace("@@ -1,3", `@@ ${range}`));
      for (const engine of [undefined, ...patchEngines]) {
        const local = await copyOf(scene);
        const tried = await import("../support/pulling.ts").then(({ pullInto }) =>
          pullInto(local.folder, { ...scene.source, ...source }, { engine }).then(
            ({ tip }) => tip,
            (error: unknown) => (error as { kind: string }).kind,
          ),
        );
        // Where git finds the place all the same, it is the right content; never another.
        expect([scene.sandbox("rev-parse", "HEAD"), "failure"]).toContain(tried);
      }
    },
  );

  it("a subject of 5 MB is refused, one of 100 kB comes", async () => {
    const scene = makeScene();
    const commit = (size: number) => {
      const message = `${folder.path}/message`;
      writeFileSync(message, "x".repeat(size));
      gitBytes(scene.sandbox.folder, ["commit", "--quiet", "--allow-empty", "-F", message]);
    };
    commit(100_000);
    await pullExactly(scene);
    commit(5_000_000);
    expect(await pullRefused(scene)).toMatchObject({ code: "lie" });
  });
});

async function copyOf({ local }: Scene): Promise<TestGit> {
  const copy = makeScene({ files: {} }).local;
  gitBytes(copy.folder, ["fetch", "--quiet", local.folder, "main"]);
  gitBytes(copy.folder, ["reset", "--quiet", "--hard", "FETCH_HEAD"]);
  return Promise.resolve(copy);
}

/** The peak of the largest process of a pull, ferry's own or a git's, in MiB; and how it ended. */
async function measure(scene: Scene): Promise<{ code: number; largest: number; said: string }> {
  const task: PullChild = { folder: scene.local.folder, sandbox: scene.sandbox.folder, base: scene.base, dieAt: "" };
  const [file, report] = [`${folder.path}/task`, `${folder.path}/report`];
  writeFileSync(file, JSON.stringify(task));
  // Its own source makes the mbox in it, which is not what is measured; so that is kept small.
  const child = spawn("/usr/bin/time", ["-f", "%M", "-o", report, process.execPath, inject("pullChild"), file], {
    env: gitEnv,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, "close")) as [number];
  const largest = Number(readFileSync(report, "utf8").trim().split("\n").at(-1)) / 1024;
  return { code, largest, said };
}

describe("memory stays bounded", () => {
  it("1 GiB of zeros as it really is in the sandbox: refused", async () => {
    const scene = makeScene();
    // Written by git from a sparse file, so that the test itself is cheap.
    gitBytes(folder.path, ["init", "--quiet", "big"]);
    const { truncateSync } = await import("node:fs");
    writeFileSync(`${scene.sandbox.folder}/zeros`, "");
    truncateSync(`${scene.sandbox.folder}/zeros`, 600 * 1024 ** 2);
    gitBytes(scene.sandbox.folder, ["-c", "core.compression=1", "-c", "core.bigFileThreshold=1m", "add", "zeros"]);
    gitBytes(scene.sandbox.folder, ["commit", "--quiet", "-m", "zeros"]);
    // The sandbox's side is a second process's affair: the mails are forged to say what git would.
    const size = 600 * 1024 ** 2;
    const source = forgedSource(scene, () => binary(`literal ${size}\n${base85(deflateSync(Buffer.alloc(1 << 16)))}\n`));
    const before = stateOf(scene.local.folder);
    const { pullInto } = await import("../support/pulling.ts");
    const start = process.memoryUsage().rss;
    const manifest = async () => source.manifest("");
    await expect(pullInto(scene.local.folder, { ...scene.source, ...source, manifest })).rejects.toMatchObject({
      code: "policy",
      message: expect.stringContaining("more than 512 MiB") as string,
    });
    expect(stateOf(scene.local.folder)).toEqual(before);
    expect((process.memoryUsage().rss - start) / 1024 ** 2).toBeLessThan(256);
  }, 120_000);

  it("100,000 files, in folders a hundred deep, come within half a GiB", async () => {
    const scene = makeScene();
    const deep = Array.from({ length: 100 }, (_, at) => `d${at}`).join("/");
    const files = Array.from(
      { length: 100_000 },
      (_, at) => `M 100644 inline ${at % 1000 === 0 ? deep : "f"}/${at % 300}/${at}\ndata 2\n${at % 9}\n\n`,
    );
    const who = "A <a@b> 1 +0000";
    const input = `commit refs/heads/main\ncommitter ${who}\ndata 1\nx\nfrom ${scene.base}\n${files.join("")}\n`;
    gitBytes(scene.sandbox.folder, ["fast-import", "--quiet", "--force"], { input });
    gitBytes(scene.sandbox.folder, ["update-ref", "HEAD", "refs/heads/main"]);
    const { code, largest, said } = await measure(scene);
    expect(said).toBe("");
    expect(code).toBe(0);
    expect(largest).toBeLessThan(512);
  }, 120_000);
});
