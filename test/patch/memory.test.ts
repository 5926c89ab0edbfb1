import { afterAll, describe, expect, it } from "vitest";
import type { PullDeps } from "../../src/patch/request.ts";
import { commitFiles, gitIn } from "../support/git.ts";
import { makeDeps, pullInto } from "../support/pulling.ts";
import { makeScene, removeScenes, type Scene } from "../support/scene.ts";

afterAll(removeScenes);

const day = 86_400_000;

/** The same machine so many days later. */
function later(days: number): PullDeps {
  const deps = makeDeps();
  const { clock } = deps.host;
  return { ...deps, host: { ...deps.host, clock: { ...clock, now: () => clock.now() + days * day } } };
}

describe("a session that is over", () => {
  const refs = ({ local }: Scene) => local("for-each-ref", "--format=%(refname)", "refs/ferry").split("\n").filter(Boolean);

  it("is forgotten 90 days after its end, by a pull of any other", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "A\n" });
    await pullInto(scene.local.folder, scene.source);
    const going = refs(scene).length;
    expect(await pullInto(scene.local.folder, scene.source, { isOver: true })).toMatchObject({ applied: false });
    expect(refs(scene)).toHaveLength(going + 1);
    // A second time changes nothing.
    await pullInto(scene.local.folder, scene.source, { isOver: true, deps: later(10) });
    expect(refs(scene)).toHaveLength(going + 1);
    const other = makeScene();
    const pullOther = (days: number, dryRun = false) =>
      pullInto(scene.local.folder, other.source, { session: "ses_2", deps: later(days), dryRun }).catch(() => undefined);
    await pullOther(89);
    expect(refs(scene)).toHaveLength(going + 1);
    await pullOther(92, true);
    expect(refs(scene)).toHaveLength(going + 1);
    await pullOther(92);
    expect(refs(scene)).toEqual([]);
  });

  it("isn't where it goes on, or is pulled itself", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "A\n" });
    await pullInto(scene.local.folder, scene.source, { isOver: true });
    expect(refs(scene).filter((name) => name.includes("/ended/"))).toHaveLength(1);
    await pullInto(scene.local.folder, scene.source, { isOver: true, deps: later(200) });
    expect(refs(scene).filter((name) => name.includes("/ended/"))).toHaveLength(1);
    commitFiles(scene.sandbox, { b: "B\n" });
    expect(await pullInto(scene.local.folder, scene.source, { isOver: false, deps: later(200) })).toMatchObject({
      applied: true,
    });
    expect(refs(scene).filter((name) => name.includes("/ended/"))).toEqual([]);
    // Words that nobody knows say nothing.
    await pullInto(scene.local.folder, scene.source);
    expect(refs(scene).filter((name) => name.includes("/ended/"))).toEqual([]);
  });
});

describe("a branch that is made anew under the name of one that got the commits", () => {
  it("gets them again; one that was only reset doesn't", async () => {
    const scene = makeScene();
    const { local, sandbox, base, source } = scene;
    commitFiles(sandbox, { a: "A\n" });
    local("switch", "--quiet", "--create", "feature");
    expect(await pullInto(local.folder, source)).toMatchObject({ applied: true });
    local("reset", "--quiet", "--hard", base);
    expect(await pullInto(local.folder, source)).toMatchObject({ applied: false });
    local("switch", "--quiet", "main");
    local("branch", "--quiet", "--delete", "--force", "feature");
    // By the clock of the machine, and a second later: reflogs know no less.
    gitIn(local.folder, { GIT_COMMITTER_DATE: `${Math.floor(Date.now() / 1000) + 1} +0000` })(
      "switch",
      "--quiet",
      "--create",
      "feature",
      base,
    );
    expect(await pullInto(local.folder, source)).toMatchObject({ applied: true, commits: { length: 1 } });
  });

  it("also where reflogs are off: then the cursor counts", async () => {
    const scene = makeScene({ prepare: (local) => local("config", "core.logAllRefUpdates", "false") });
    commitFiles(scene.sandbox, { a: "A\n" });
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: true });
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: false });
  });
});
