import { FerryError } from "../../../base/errors.ts";
import type { Git } from "../../../git/git.ts";
import type { Repository } from "../../../wire/resources.ts";
import { Problem } from "../../problem.ts";
import type { SessionsDeps } from "../deps.ts";
import type { Mutex } from "../mutex.ts";
import { layout, own } from "./layout.ts";
import { isRefused, originAccess, originAddress, type OriginDeps } from "./origin-access.ts";

type Deps = OriginDeps & Pick<SessionsDeps, "git">;

const refspecs = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];

/**
 * The bare mirror of a repository, as new as its origin is now. It holds only what came from there: sessions borrow its objects
 * and write nothing into it. Gives its folder.
 * @throws Problem 422 where the origin can't be reached
 */
export async function updateMirror(deps: Deps, lock: Mutex, repository: Repository): Promise<string> {
  const mirror = layout.mirror(deps.data, repository.id);
  return lock(mirror, async () => {
    try {
      if ((await deps.host.files.status(mirror)) === undefined) await makeMirror(deps, repository, mirror);
      else
        await deps.git.ok(
          ["fetch", "--quiet", "--prune", "--no-write-fetch-head", "--", originAddress(repository), ...refspecs],
          {
            ...own(mirror),
            ...(await originAccess(deps, repository)),
          },
        );
      return mirror;
    } catch (error) {
      throw unreachable(repository, error);
    }
  });
}

/** Where the mirror's origin has its HEAD, as a short branch name; "" where the origin is empty. */
export async function defaultBranch(git: Git, mirror: string): Promise<string> {
  const result = await git.run(["symbolic-ref", "--quiet", "--short", "HEAD"], own(mirror));
  return result.stdout.toString("utf8").trim();
}

/** What a git that could not read a repository said, as a refusal. */
export function unreachable(repository: Repository, error: unknown): unknown {
  if (!(error instanceof FerryError)) return error;
  const { full_name: name, code_provider_id: id } = repository;
  if (isRefused(repository, error.message))
    return new Problem(
      422,
      "provider_token_refused",
      `the repository ${name} can't be read: the token of its code provider ${id} is refused (give another: ferry provider edit ${id} --token-stdin)`,
    );
  return new Problem(422, "repository_unreachable", `the repository ${name} can't be read: ${error.message}`);
}

/** Cloned beside its place and moved there whole, so that a half of one is never taken for a mirror. */
async function makeMirror(deps: Deps, repository: Repository, mirror: string): Promise<void> {
  const { git, host, data } = deps;
  const half = `${mirror}.new`;
  await host.files.remove(half);
  await host.files.makeFolder(half, 0o700);
  await git.ok(["clone", "--quiet", "--bare", "--no-local", "--template=", "--", originAddress(repository), half], {
    cwd: data,
    isolated: true,
    ...(await originAccess(deps, repository)),
  });
  await host.files.rename(half, mirror);
}
