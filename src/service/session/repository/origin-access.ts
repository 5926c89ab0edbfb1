import { join } from "node:path";
import type { GitStreamOptions } from "../../../git/git.ts";
import type { Repository } from "../../../wire/resources.ts";
import type { SessionsDeps } from "../deps.ts";

/**
 * The address by which git calls a repository's origin. GitLab answers one without `.git` by a redirect to the one with it, and where a
 * token goes along no redirect is followed.
 */
export function originAddress({ clone_url: address, platform }: Pick<Repository, "clone_url" | "platform">): string {
  return platform === "gitlab" && !address.endsWith(".git") ? `${address.replace(/\/+$/u, "")}.git` : address;
}

export type OriginDeps = Pick<SessionsDeps, "data" | "host" | "sealer" | "store">;

/** Whose name it is doesn't matter where the password is a token (GitLab's "Clone using a token"). */
const user = "oauth2";

/**
 * git runs it to ask for a password (gitcredentials(7)), and says for whom. Another origin than the token's, which a redirect or a
 * submodule could bring up, gets no answer.
 */
const askpass = `#!/bin/sh
[ "$1" = "Password for '$FERRY_ORIGIN': " ] || exit 1
printf '%s\\n' "$FERRY_TOKEN"
`;

/**
 * What git is told to reach a repository's origin: the token of its code provider, by way of the environment of this one process, never
 * its arguments, an address or a file. Nothing where it has no provider.
 * @throws FerryError failure where the stored token can't be opened
 */
export async function originAccess(
  { data, host, sealer, store }: OriginDeps,
  repository: Repository,
): Promise<Pick<GitStreamOptions, "config" | "env">> {
  const { clone_url: address, code_provider_id: id } = repository;
  const provider = id === "" ? undefined : await store.providers.find(id);
  const [, scheme = "", authority = ""] = /^(https?:\/\/)([^/@]+)(?:\/|$)/u.exec(address) ?? [];
  // Both were compared when the repository was registered; that a token goes nowhere else shouldn't hang on that.
  if (provider === undefined || authority === "" || new URL(address).origin !== new URL(provider.base_url).origin) return {};
  const program = join(data, "askpass.sh");
  await host.files.write(program, askpass, 0o700);
  return {
    config: { "credential.helper": "", "credential.username": user, "http.followRedirects": "false" },
    env: {
      GIT_ASKPASS: program,
      FERRY_ORIGIN: `${scheme}${user}@${authority}`,
      FERRY_TOKEN: sealer.open(provider.sealed_token, provider.id),
    },
  };
}

/** What git says where a server wants another password, or none that it has (http.c, credential.c). */
const refusal = /Authentication failed|could not read (Username|Password)|returned error: (401|403)/iu;

/** Whether git failed because the token of the repository's code provider isn't taken. */
export function isRefused({ code_provider_id: id }: Repository, message: string): boolean {
  return id !== "" && refusal.test(message);
}
