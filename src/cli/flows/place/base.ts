import { local } from "../../../auth/address.ts";
import { FerryError } from "../../../base/errors.ts";
import { count, oneLine } from "../../../base/text.ts";
import type { Git } from "../../../git/git.ts";
import type { Environment } from "../../../host/host.ts";
import type { Place } from "./place.ts";

/** What a session starts from. */
export interface Base {
  /** "" where there is none: on a detached HEAD. */
  readonly branch: string;
  /** "" for an unborn branch; undefined where the service finds it out from the branch. */
  readonly commit: string | undefined;
}

/**
 * The commit that the sandbox starts from: HEAD, or the tip of `wanted`. The embedded service fetches it from here, whatever it
 * is; another service has only what was pushed.
 * @throws FerryError usage where there is no such branch here
 */
export async function findBase(git: Git, place: Place, host: string, wanted: string | undefined): Promise<Base> {
  if (wanted !== undefined)
    return host === local
      ? { branch: wanted, commit: await branchTip(git, place, wanted) }
      : { branch: wanted, commit: undefined };
  const { head } = place;
  const commit = head.state === "unborn" ? "" : head.commit;
  if (host === local || commit === "") return { branch: place.branch ?? "", commit };
  const upstream = await readLine(git, place, ["rev-parse", "--verify", "--quiet", "--symbolic-full-name", "@{upstream}"]);
  const branch = upstream?.replace(/^refs\/remotes\/[^/]+\//u, "") ?? place.branch ?? "";
  return { branch, commit: await newestPushed(git, place, upstream) };
}

/** How much of the user's work is not in the sandbox. */
export interface Missing {
  readonly commits: number;
  /** Changed or new, and in no commit. */
  readonly files: number;
}

export async function notInSandbox({ git, env }: { git: Git; env: Environment }, place: Place, base: Base): Promise<Missing> {
  const { head } = place;
  let commits = 0;
  if (head.state !== "unborn" && base.commit !== undefined && base.commit !== "" && base.commit !== head.commit) {
    const missing = await readLine(git, place, ["rev-list", "--count", `${base.commit}..HEAD`]);
    commits = Number(missing ?? 0);
  }
  if (place.repository.workTree === undefined) return { commits, files: 0 };
  const { countUncommitted } = await import("../../../git/uncommitted.ts");
  return { commits, files: await countUncommitted(env, place.folder) };
}

/** The same in a line, with what brings it there where that is possible; undefined where nothing is missing. */
export function tellMissing({ commits, files }: Missing, host: string): string | undefined {
  if (commits + files === 0) return undefined;
  // The embedded service fetches what is committed here, and lacks commits only where it was told to start elsewhere.
  const isHere = host === local;
  const what = [
    ...(commits === 0
      ? []
      : [count(commits, isHere ? "commit" : "commit not pushed", isHere ? "commits" : "commits not pushed")]),
    ...(files === 0 ? [] : [count(files, "file uncommitted", "files uncommitted")]),
  ];
  const steps = isHere ? (commits === 0 ? "commit" : "") : files === 0 ? "push" : "commit and push";
  const remedy = steps === "" ? "" : ` (${steps} first to have ${commits + files === 1 ? "it" : "them"} there)`;
  return `not in the sandbox: ${what.join(", ")}${remedy}`;
}

async function branchTip(git: Git, place: Place, branch: string): Promise<string> {
  const tip = await readLine(git, place, [
    "rev-parse",
    "--verify",
    "--quiet",
    "--end-of-options",
    `refs/heads/${branch}^{commit}`,
  ]);
  if (tip === undefined) throw new FerryError("usage", `--base ${oneLine(branch)}: there is no such branch here`);
  return tip;
}

/** HEAD where a remote has it; else the newest commit of the upstream branch that it grew from. */
async function newestPushed(git: Git, place: Place, upstream: string | undefined): Promise<string | undefined> {
  const unpushed = await readLine(git, place, ["rev-list", "--max-count=1", "HEAD", "--not", "--remotes"]);
  if (unpushed === undefined) return readLine(git, place, ["rev-parse", "HEAD"]);
  return upstream === undefined ? undefined : readLine(git, place, ["merge-base", "HEAD", upstream]);
}

/** The one line that git says; undefined where it says nothing, or no. */
async function readLine(git: Git, place: Place, args: readonly string[]): Promise<string | undefined> {
  const { code, stdout } = await git.run(args, { cwd: place.folder });
  const line = stdout.toString("utf8").trim();
  return code === 0 && line !== "" ? line : undefined;
}
