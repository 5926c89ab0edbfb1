import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { expect } from "vitest";
import { FerryError } from "../../src/base/errors.ts";
import type { PatchSource } from "../../src/patch/source.ts";
import { commitFiles, gitBytes, gitIn, headOf, makeFolder, makeRepository, type TestGit } from "./git.ts";
import { pullInto, type PullInto } from "./pulling.ts";
import { sandboxSource, type SandboxSource } from "./series.ts";
import { stateOf } from "./state.ts";

/** A user's working copy and a sandbox that was cloned from it. */
export interface Scene {
  readonly local: TestGit;
  readonly sandbox: TestGit;
  /** "" where the branch was unborn. */
  readonly base: string;
  readonly source: SandboxSource & { readonly calls: string[] };
}

export interface Stage {
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Options of `git init`, e.g. `--object-format=sha256`. */
  readonly init?: readonly string[];
  /** Makes the base commit more than plain files, before the sandbox is cloned. */
  readonly prepare?: (local: TestGit) => void;
}

const folder = makeFolder();
let scenes = 0;
/** Where the first scene of its kind was put aside: a copy of it takes a tenth of the time. */
const models = new Map<string, string>();

/** Removes all that the scenes of this file made. */
export function removeScenes(): void {
  folder.remove();
}

export function makeScene(stage: Stage = {}): Scene {
  const place = `${folder.path}/${++scenes}`;
  if (stage.prepare === undefined) copyRepositories(modelOf(stage), place);
  else makeRepositories(stage, place);
  const [local, sandbox] = [gitIn(`${place}/local`), gitIn(`${place}/sandbox`)];
  const base = headOf(local);
  return { local, sandbox, base, source: sandboxSource({ folder: sandbox.folder, branch: "HEAD", base }) };
}

function makeRepositories({ files, init = [], prepare }: Stage, place: string): void {
  const local = makeRepository(`${place}/local`, init);
  commitFiles(local, files ?? { a: "1\n2\n3\n", b: "b\n", c: "c\n", "dir/d": "d\n" }, "base");
  prepare?.(local);
  gitBytes(folder.path, ["clone", "--quiet", "--no-local", local.folder, `${place}/sandbox`]);
}

function modelOf(stage: Stage): string {
  const kind = JSON.stringify(stage, (_, value: unknown) => (value instanceof Uint8Array ? [...value] : value));
  const known = models.get(kind);
  if (known !== undefined) return known;
  const place = `${folder.path}/model-${models.size}`;
  makeRepositories(stage, place);
  models.set(kind, place);
  return place;
}

function copyRepositories(model: string, place: string): void {
  cpSync(model, place, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  const config = `${place}/sandbox/.git/config`;
  writeFileSync(config, readFileSync(config, "utf8").replace(`${model}/local`, `${place}/local`));
  // Each file has another inode and another time of change now.
  for (const name of ["local", "sandbox"]) gitBytes(`${place}/${name}`, ["update-index", "-q", "--refresh"]);
}

/** Pulls, and expects the sandbox's tip with a clean status. */
export async function pullExactly({ local, sandbox, source }: Scene, options: PullInto = {}) {
  const verdict = await pullInto(local.folder, source, options);
  const tip = headOf(sandbox);
  expect(verdict).toMatchObject({ applied: true, tip, exactness: "exact", engine: options.engine ?? verdict.engine });
  expect(headOf(local)).toBe(tip);
  expect(local("fsck", "--strict", "--no-dangling")).toBe("");
  return verdict;
}

/** Pulls, and expects a refusal that left everything byte for byte as it was. Gives the error. */
export async function pullRefused(
  { local, source }: Pick<Scene, "local" | "source">,
  options: PullInto & { source?: PatchSource } = {},
): Promise<FerryError> {
  const before = stateOf(local.folder);
  const error = await pullInto(local.folder, options.source ?? source, options).then(
    (verdict) => expect.fail(`was applied: ${JSON.stringify(verdict)}`),
    (cause: unknown) => cause,
  );
  if (!(error instanceof FerryError)) throw error;
  expect(error.code === "lie" || error.code === "policy" || error.code === "git" ? error.kind : "failure").toBe("failure");
  expect(stateOf(local.folder)).toEqual(before);
  return error;
}
