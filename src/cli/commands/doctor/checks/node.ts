import { oneLine } from "../../../../base/text.ts";
import type { Check } from "../check.ts";

/** The oldest that ferry is tried with, as `engines` in package.json has it. */
const oldest = [20, 19] as const;

/** The Node that runs ferry itself. */
export const node: Check = {
  name: "Node",
  async run({ host }) {
    const [path = "node"] = host.self;
    const { stdout } = await host.processes.run([path, "--version"], { env: host.env, timeout: 3000 });
    const said = oneLine(new TextDecoder().decode(stdout).trim()).replace(/^v/u, "");
    const [major = 0, minor = 0] = said.split(".").map(Number);
    const says = `${said} (${path})`;
    if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return { verdict: "ok", says };
    return { verdict: "warning", says, hint: `ferry needs Node ${oldest.join(".")} or newer: https://nodejs.org` };
  },
};
