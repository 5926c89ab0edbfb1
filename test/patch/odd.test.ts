import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readFileSync, renameSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { commitFiles, gitBytes, gitIn, makeRepository, type TestGit, writeFile } from "../support/git.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, pullExactly, pullRefused, removeScenes, type Scene } from "../support/scene.ts";

afterAll(removeScenes);

const edit = { a: "x\n", n: "n\n", c: null, "dir/d": "D\n" };

/** Working copies whose git folder, objects or configuration lie elsewhere than usual; each gives the one to pull into. */
const copies: Readonly<Record<string, (scene: Scene) => TestGit>> = {
  "a git folder elsewhere (--separate-git-dir)": ({ local }) => {
    local("init", "--quiet", "--separate-git-dir", `${local.folder}-git`);
    return local;
  },
  "core.worktree": ({ local }) => {
    renameSync(`${local.folder}/.git`, `${local.folder}-git`);
    writeFile(local, ".git", `gitdir: ${local.folder}-git\n`);
    gitBytes(`${local.folder}-git`, ["config", "core.worktree", local.folder]);
    return local;
  },
  "a git folder that is a link": ({ local }) => {
    renameSync(`${local.folder}/.git`, `${local.folder}-git`);
    symlinkSync(`${local.folder}-git`, `${local.folder}/.git`);
    return local;
  },
  "a submodule": ({ local }) => {
    const whole = makeRepository(`${local.folder}-whole`);
    commitFiles(whole, { w: "w\n" });
    whole("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", local.folder, "sub");
    return gitIn(`${whole.folder}/sub`);
  },
  "objects of another repository (clone --shared)": ({ local }) => {
    gitBytes(local.folder, ["clone", "--quiet", "--shared", local.folder, `${local.folder}-shared`]);
    return gitIn(`${local.folder}-shared`);
  },
  "a locked worktree with a configuration of its own": ({ local }) => {
    const tree = gitIn(`${local.folder}-tree`);
    local("config", "extensions.worktreeConfig", "true");
    local("worktree", "add", "--quiet", "--lock", "-b", "side", tree.folder);
    tree("config", "--worktree", "core.autocrlf", "true");
    tree("config", "--worktree", "status.showUntrackedFiles", "no");
    return tree;
  },
  "core.ignoreCase where case tells files apart": ({ local, sandbox }) => {
    local("config", "core.ignoreCase", "true");
    sandbox("mv", "b", "B");
    commitFiles(sandbox, { A: "capital\n" });
    return local;
  },
  "core.symlinks=false": ({ local, sandbox }) => {
    local("config", "core.symlinks", "false");
    symlinkSync("dir/d", `${sandbox.folder}/link`);
    commitFiles(sandbox, {});
    return local;
  },
};

describe("a working copy that is", () => {
  it.each(Object.keys(copies))("%s: the same as any other", async (name) => {
    const scene = makeScene();
    const local = copies[name]?.(scene) ?? scene.local;
    commitFiles(scene.sandbox, edit);
    writeFile(local, "b", "b\n");
    writeFile(local, "u", "untracked\n");
    await pullExactly({ ...scene, local });
    expect(local("status", "--porcelain", "--untracked-files=normal")).toBe("?? u");
    expect(readFileSync(`${local.folder}/n`, "utf8").trim()).toBe("n");
  });
});

it("files are written by the git that the journal knows, and by no worker of it", async () => {
  const scene = makeScene();
  scene.local("config", "checkout.workers", "4");
  scene.local("config", "checkout.thresholdForParallelism", "1");
  commitFiles(scene.sandbox, Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`f${at}`, `${at}\n`])));
  const config = `${scene.local.folder}-config`;
  const trace = `${scene.local.folder}-trace`;
  writeFileSync(config, `[trace2]\n\tnormalTarget = ${trace}\n`);
  await pullExactly(scene, { env: { GIT_CONFIG_GLOBAL: config } });
  const traced = readFileSync(trace, "utf8");
  expect(traced).toContain("checkout-index -u");
  expect(traced).not.toContain("checkout--worker");
});

describe("local bytes that git doesn't see", () => {
  it("of a repository in a folder that the series makes a file of", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { dir: null });
    commitFiles(scene.sandbox, { dir: "a file\n" });
    commitFiles(makeRepository(`${scene.local.folder}/dir/own`), { w: "w\n" });
    expect(await pullRefused(scene)).toMatchObject({ details: [expect.stringContaining("dir ") as string] });
  });

  it("behind a path that can't be that long", async () => {
    const scene = makeScene();
    const long = Array.from({ length: 18 }, () => "x".repeat(250)).join("/");
    const blob = gitBytes(scene.sandbox.folder, ["hash-object", "-w", "--stdin"], { input: "long\n" }).toString().trim();
    scene.sandbox("config", "core.longpaths", "true");
    const stream = `commit refs/heads/main\ncommitter t <t@t> 1 +0000\ndata 1\nx\nfrom ${scene.base}\nM 100644 ${blob} ${long}/f\nM 100644 ${blob} a\n\n`;
    gitBytes(scene.sandbox.folder, ["fast-import", "--quiet", "--force"], { input: stream });
    const before = readFileSync(`${scene.local.folder}/a`, "utf8");
    await expect(pullInto(scene.local.folder, scene.source)).rejects.toMatchObject({
      kind: expect.stringMatching(/attention|failure/u) as string,
    });
    expect([readFileSync(`${scene.local.folder}/a`, "utf8"), scene.local("status", "--porcelain")]).toEqual([before, ""]);
  });

  it("in the place of a new file, a pipe", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { "p/n": "n\n" });
    mkdirSync(`${scene.local.folder}/p`);
    execFileSync("mkfifo", [`${scene.local.folder}/p/n`]);
    await expect(pullInto(scene.local.folder, scene.source)).rejects.toMatchObject({ details: ["p/n is here, but not in git"] });
    expect(lstatSync(`${scene.local.folder}/p/n`).isFIFO()).toBe(true);
  });

  it.each(["core.trustctime=false", "core.checkStat=minimal"])("by %s, of the same length and time", async (setting) => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    const [name = "", value = ""] = setting.split("=");
    scene.local("config", name, value);
    const path = `${scene.local.folder}/a`;
    utimesSync(path, 1_000_000_000, 1_000_000_000);
    scene.local("update-index", "--refresh");
    const { atime, mtime } = statSync(path);
    writeFile(scene.local, "a", "1\nI\n3\n");
    utimesSync(path, atime, mtime);
    expect(scene.local("status", "--porcelain")).toBe("");
    await expect(pullInto(scene.local.folder, scene.source)).rejects.toMatchObject({ details: ["a has local changes"] });
    expect(readFileSync(path, "utf8")).toBe("1\nI\n3\n");
  });
});
