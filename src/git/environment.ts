import type { Environment } from "../host/host.ts";

/**
 * Git's own variables say which repository, index and identity a command acts on, and a hook or an alias sets them for the
 * repository it runs in. Only those that say how to reach a remote, where the configuration and git's programs lie, and that large files
 * are to stay pointers, are the user's wish.
 */
const kept = /^GIT_(SSH.*|ASKPASS|CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)|EXEC_PATH|LFS_SKIP_SMUDGE)$/iu;

/** What every git of ours is told on its command line, see git-config(1); the order doesn't matter. */
export const neutralConfig: Readonly<Record<string, string>> = {
  "core.hooksPath": "/dev/null",
  "gc.auto": "0",
  "maintenance.auto": "false",
  "core.fsmonitor": "false",
  "core.ignoreStat": "false",
  "commit.gpgSign": "false",
  "core.protectHFS": "true",
  "core.protectNTFS": "true",
  "submodule.recurse": "false",
  // Workers write on when the git that started them is killed, and nobody knows of them.
  "checkout.workers": "1",
  "advice.graftFileDeprecated": "false",
};

/** The environment of each git: the user's, without what could redirect it, make it ask, or let it see replaced objects, and without our key. */
export function neutralEnvironment(env: Environment, isolated: boolean): Record<string, string> {
  const neutral: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && (!/^(GIT_|FERRY_API_KEY$)/iu.test(name) || kept.test(name))) neutral[name] = value;
  Object.assign(neutral, {
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_GRAFT_FILE: "/dev/null",
    SSH_ASKPASS_REQUIRE: "never",
    // git-lfs-config(5): an object that can't be had leaves its pointer, where it would end a checkout half way.
    GIT_LFS_SKIP_DOWNLOAD_ERRORS: "1",
    LC_ALL: "C",
  });
  // Set only where the user set it: it would override core.sshCommand.
  const ssh = neutral["GIT_SSH_COMMAND"];
  if (ssh !== undefined) neutral["GIT_SSH_COMMAND"] = `${ssh} -o BatchMode=yes`;
  if (isolated)
    Object.assign(neutral, { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" });
  return neutral;
}
