import { simpleGit } from "simple-git";
import type { Environment } from "../host/host.ts";
import { neutralConfig, neutralEnvironment } from "./environment.ts";

/** What decides how git reads a working copy. */
const needed =
  /^(PATH|HOME|USERPROFILE|SYSTEMROOT|XDG_CONFIG_HOME|LC_ALL|GIT_(OPTIONAL_LOCKS|CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)|EXEC_PATH))$/iu;

/**
 * How many files of a working copy differ from HEAD, untracked ones included, for a person to read. Nothing hangs on the names,
 * so simple-git's text is enough here; where bytes matter, git is run by runner.ts.
 * @throws where git can't read the working copy
 */
export async function countUncommitted(env: Environment, folder: string): Promise<number> {
  const environment = Object.fromEntries(Object.entries(neutralEnvironment(env, false)).filter(([name]) => needed.test(name)));
  const git = simpleGit({
    baseDir: folder,
    config: Object.entries(neutralConfig).map(([name, value]) => `${name}=${value}`),
    // It refuses by default what only a stranger would set; these are our own, and turn things off.
    unsafe: { allowUnsafeHooksPath: true, allowUnsafeFsMonitor: true, allowUnsafeConfigPaths: true },
    allowEnvironment: Object.keys(environment),
  });
  const status = await git.env(environment).status();
  return status.files.length;
}
