import { oneLine } from "../../../../base/text.ts";
import type { Check } from "../check.ts";

/** Its commits come home by git: the one on PATH. */
export const git: Check = {
  name: "git",
  async run({ host }) {
    const path = await host.processes.find("git");
    const hint = "install git: https://git-scm.com/downloads";
    if (path === undefined) return { verdict: "failed", says: "is not installed, or not on PATH", hint };
    const { code, stdout } = await host.processes.run([path, "--version"], { env: host.env, timeout: 3000 });
    const said = oneLine(new TextDecoder().decode(stdout).trim());
    if (code !== 0 || said === "") return { verdict: "failed", says: `${path} doesn't run`, hint };
    return { verdict: "ok", says: `${said.replace(/^git version /u, "")} (${path})` };
  },
};
