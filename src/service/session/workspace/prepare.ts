import type { Git } from "../../../git/git.ts";
import type { Sandbox } from "../../sandbox/driver.ts";
import { own } from "../repository/layout.ts";
import { runInside } from "./inside.ts";

/**
 * Puts a clean clone of the session's repository into a new sandbox. The clone is the host's, since no process has run in there
 * yet; the checkout is the sandbox's, since attributes may start filters.
 */
export async function prepareWorkspace(git: Git, sandbox: Sandbox, gitDir: string, branch: string): Promise<void> {
  const workspace = sandbox.hostWorkspace;
  const born = await git.run(["rev-parse", "--quiet", "--verify", `refs/heads/${branch}`], own(gitDir));
  const options = { cwd: gitDir, isolated: true };
  if (born.code !== 0) {
    const format = (await git.ok(["rev-parse", "--show-object-format"], own(gitDir))).toString("utf8").trim();
    await git.ok(
      ["init", "--quiet", "--template=", `--object-format=${format}`, `--initial-branch=${branch}`, "--", workspace],
      options,
    );
    return;
  }
  // --no-local: a local clone would link or copy all objects, those of the mirror's other branches too.
  const args = [
    "clone",
    "--quiet",
    "--no-local",
    "--single-branch",
    "--no-tags",
    "--template=",
    "--no-checkout",
    `--branch=${branch}`,
  ];
  await git.ok([...args, "--", gitDir, workspace], options);
  // Its address is a path of the host, which is not there inside.
  await git.ok(["remote", "remove", "origin"], { cwd: workspace, isolated: true });
  await runInside(sandbox, "git reset --quiet --hard", []);
}
