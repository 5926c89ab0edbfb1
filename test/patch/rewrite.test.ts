import { afterAll, describe, expect, it } from "vitest";
import { commitFiles, writeFile } from "../support/git.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, pullExactly, pullRefused, removeScenes } from "../support/scene.ts";

afterAll(removeScenes);

/** Two commits that came, of which the sandbox then rewrote the second, and one more. */
async function makeRewritten() {
  const scene = makeScene();
  const one = commitFiles(scene.sandbox, { a: "x\n" }, "one");
  const two = commitFiles(scene.sandbox, { n: "n\n" }, "two");
  await pullExactly(scene);
  writeFile(scene.sandbox, "n", "N\n");
  scene.sandbox("add", "n");
  scene.sandbox("commit", "--quiet", "--amend", "-m", "two, better");
  commitFiles(scene.sandbox, { m: "m\n" }, "three");
  return { ...scene, one, two };
}

describe("a history that the session rewrote", () => {
  it("is refused, with the difference", async () => {
    const scene = await makeRewritten();
    const error = await pullRefused(scene);
    expect(error).toMatchObject({ kind: "attention", code: "history_rewritten" });
    expect(error.message).toContain(scene.two.slice(0, 12));
    expect(error.details.join("\n")).toMatch(/two\n[\s\S]*two, better\n[\s\S]*three/u);
  });

  it("takes the place of the old one where that is accepted", async () => {
    const scene = await makeRewritten();
    writeFile(scene.local, "b", "dirty\n");
    const verdict = await pullExactly(scene, { acceptRewrite: true });
    expect(verdict).toMatchObject({ base: scene.two, commits: [{ subject: "two, better" }, { subject: "three" }] });
    expect(scene.local("log", "--format=%s")).toBe("three\ntwo, better\none\nbase");
    expect(scene.local("status", "--porcelain")).toBe(" M b");
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: false });
  });

  it("but not with commits of the user's on top", async () => {
    const scene = await makeRewritten();
    commitFiles(scene.local, { b: "mine\n" }, "mine");
    const error = await pullRefused(scene, { acceptRewrite: true });
    expect(error).toMatchObject({
      kind: "attention",
      code: "history_rewritten",
      hint: expect.stringMatching(/: ferry pull ses_1 --branch NAME$/u) as string,
    });
  });

  it("and only went back: said, with what to do", async () => {
    const scene = await makeRewritten();
    scene.sandbox("reset", "--quiet", "--hard", scene.one);
    expect(await pullRefused(scene, { acceptRewrite: true })).toMatchObject({
      code: "history_rewritten",
      hint: expect.stringContaining("git reset --keep") as string,
    });
  });

  it("wholly, from its base", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" }, "one");
    await pullExactly(scene);
    scene.sandbox("reset", "--quiet", "--hard", scene.base);
    commitFiles(scene.sandbox, { c: "C\n" }, "other");
    await pullExactly(scene, { acceptRewrite: true });
    expect(scene.local("log", "--format=%s")).toBe("other\nbase");
  });
});
