import { expect } from "vitest";
import type { PullDeps } from "../../src/patch/request.ts";
import { undo } from "../../src/patch/undo.ts";
import { makeDeps, pullInto, type PullInto } from "./pulling.ts";
import type { Scene } from "./scene.ts";
import { filesBelow } from "./state.ts";

/** Pulls commits and what isn't committed. */
export const pullAll = ({ local, source }: Pick<Scene, "local" | "source">, more: PullInto = {}) =>
  pullInto(local.folder, source, { uncommitted: true, ...more });

/** The working tree is the sandbox's, file by file, and nothing of it is staged. */
export function expectSame({ local, sandbox }: Pick<Scene, "local" | "sandbox">): void {
  expect(filesBelow(local.folder)).toEqual(filesBelow(sandbox.folder));
  expect(local("diff", "--cached", "--name-only")).toBe("");
  expect(local("fsck", "--strict", "--no-dangling")).toBe("");
}

export function undoIn({ local }: Pick<Scene, "local">, deps: Partial<PullDeps> = {}) {
  const errand = { origin: "https://agents.example.com", workspace: "wsp_1", session: "ses_1", repositoryId: "rep_1" };
  return undo({ folder: local.folder, ...errand }, makeDeps({}, deps));
}
