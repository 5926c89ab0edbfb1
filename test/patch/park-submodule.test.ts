import { rmSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { commitFiles, gitIn, makeRepository } from "../support/git.ts";
import { expectNoDebris, makeResolved, refusedBy, rescueOf, resume, resumeWhile } from "../support/parking.ts";
import { removeScenes } from "../support/scene.ts";

afterAll(removeScenes);

describe("a submodule that was cloned for a parked worktree", () => {
  const make = async () => {
    const { scene, tree } = await makeResolved();
    const origin = makeRepository(`${scene.local.folder}-sub`);
    commitFiles(origin, { s: "s\n" });
    const clone = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", origin.folder, "sub"];
    tree(...clone);
    const sub = gitIn(`${tree.folder}/sub`);
    const own = commitFiles(sub, { own: "own\n" }, "own");
    tree("add", "sub", ".gitmodules");
    return { scene, tree, sub, own };
  };

  it.each(["continue", "skip", "abort"] as const)(
    "--%s: is refused while it is there, since it has its only git folder there",
    async (how) => {
      const { scene, tree, sub, own } = await make();
      await expect(resume(scene.local.folder, how)).rejects.toMatchObject({
        kind: "attention",
        message: `submodules are checked out in ${tree.folder}, and what only they have would go with it`,
      });
      expect(sub("rev-parse", "HEAD")).toBe(own);
      tree("submodule", "--quiet", "deinit", "--force", "--all");
      rmSync(`${scene.local.folder}/.git/worktrees/${tree.folder.split("/").at(-1) ?? ""}/modules`, { recursive: true });
      if (how === "continue") {
        await resume(scene.local.folder, how);
        expect(scene.local("rev-parse", "HEAD~2:sub")).toBe(own);
      } else if (how === "abort") {
        await resume(scene.local.folder, how);
        expectNoDebris(scene);
      }
    },
  );

  it("goes with -y", async () => {
    const { scene } = await make();
    await resume(scene.local.folder, "abort", { acceptDeletion: true });
    expectNoDebris(scene);
  });

  it("while the pull goes on: its git folder is kept, and told", async () => {
    const { scene, tree } = await makeResolved();
    const modules = `${scene.local.folder}/.git/worktrees/${tree.folder.split("/").at(-1) ?? ""}/modules`;
    const work = () => commitFiles(makeRepository(`${modules}/sub`), { own: "own\n" }, "own");
    const error = await refusedBy(resumeWhile(scene, "continue", { at: "committed", work }));
    expect(error).toMatchObject({ code: "edited_meanwhile", verdict: { applied: true } });
    expect(gitIn(`${rescueOf(scene)}/modules/sub`)("show", "HEAD:own")).toBe("own");
  });
});
