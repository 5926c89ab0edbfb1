import { makeId, shortId } from "../../base/ids.ts";
import { cut, oneLine } from "../../base/text.ts";
import type { ParsedBodyOf } from "../../wire/contract.ts";
import type { Repository, Session } from "../../wire/resources.ts";
import { Problem } from "../problem.ts";
import type { Store, UserRecord } from "../store/store.ts";
import { type SessionsDeps, timestamp } from "./deps.ts";
import type { Mutex } from "./mutex.ts";
import { createRepository } from "./repository/create.ts";

/**
 * Makes a session: its own repository at the base, then its record, so that a session that is acknowledged can work.
 * @throws Problem 400, 409 or 422 naming the field that can't be
 */
export async function createSession(
  deps: SessionsDeps,
  lock: Mutex,
  request: ParsedBodyOf<"createSession">,
  user: UserRecord,
): Promise<Session> {
  const model = request.model ?? deps.model;
  await deps.agents.check(model);
  const repository = await chooseRepository(deps.store, request.repository_id);
  const id = makeId("ses", deps.host.random);
  const branch = await checkBranch(deps, request.branch_name ?? `ferry/${shortId(id)}`);
  const base = await createRepository(deps, lock, {
    sessionId: id,
    repository,
    branch,
    baseBranch: request.base_branch ?? "",
    baseCommit: request.base_commit,
  });
  const now = timestamp(deps);
  const session: Session = {
    id,
    title: request.title ?? titleOf(request.message ?? ""),
    workspace_id: deps.store.workspace.id,
    user_id: user.id,
    branch_name: branch,
    auto_commit: request.auto_commit,
    status: "active",
    origin: "api",
    created_at: now,
    updated_at: now,
    model,
    agent_status: "idle",
    repository_id: repository.id,
    base_branch: base.branch,
    base_commit: base.commit,
    head_commit: base.commit,
  };
  await deps.store.sessions.insert(session);
  return session;
}

/** The first line of a message, as a session is called where nobody gave it a title. */
export function titleOf(message: string): string {
  return cut(oneLine(message.trimStart().split("\n", 1)[0] ?? ""), 60);
}

/** @throws Problem 400 where git doesn't take the name (git-check-ref-format(1)) */
export async function checkBranch({ git, data }: Pick<SessionsDeps, "git" | "data">, name: string): Promise<string> {
  const result = await git.run(["check-ref-format", `refs/heads/${name}`], { cwd: data, isolated: true });
  if (result.code !== 0 || name.startsWith("-"))
    throw new Problem(400, "invalid_branch_name", `branch_name: git takes no branch "${name}"`);
  return name;
}

async function chooseRepository(store: Store, wanted: string | undefined): Promise<Repository> {
  if (wanted === undefined) return onlyRepository(store);
  const repository = await store.repositories.find(wanted);
  if (repository === undefined) throw new Problem(422, "unknown_repository", `repository_id: there is no repository ${wanted}`);
  if (!repository.enabled) throw new Problem(409, "repository_disabled", `the repository ${repository.full_name} is disabled`);
  return repository;
}

async function onlyRepository(store: Store): Promise<Repository> {
  const enabled: Repository[] = [];
  for (let cursor: string | undefined; cursor !== "" && enabled.length < 2;) {
    const page = await store.repositories.list({ cursor });
    enabled.push(...page.items.filter((repository) => repository.enabled));
    cursor = page.next_cursor;
  }
  const [only, ...more] = enabled;
  if (only === undefined)
    throw new Problem(422, "repository_required", "repository_id: no repository is registered and enabled here");
  if (more.length > 0)
    throw new Problem(422, "repository_required", "repository_id: there are several repositories, so one must be named");
  return only;
}
