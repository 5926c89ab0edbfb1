import { FerryError } from "../../../base/errors.ts";
import { findFolders } from "../../../base/folders.ts";
import { readConfig } from "../../config/config.ts";
import type { Context } from "../../context.ts";
import { choose } from "../choice.ts";

/**
 * Has an agent sign in by itself, for a subscription that isn't a key, in a HOME of its own from which its sandboxes get a copy.
 * @throws FerryError usage where there is no such agent, or nobody to choose one of several ways; failure where it didn't work
 */
export async function signInAgent(context: Context, agent: string): Promise<void> {
  const { host, interactive, print } = context;
  const data = findFolders(host).data;
  const argv = await commandOf(context, agent);
  const { signIn } = await import("../../../service/agent/sign-in/sign-in.ts");
  const { keepSignIn, makeHome } = await import("../../../service/agent/sign-in/store.ts");
  const method = await signIn(argv, {
    agent,
    env: host.env,
    home: await makeHome(host.files, data, agent),
    version: host.version,
    choose: (ways) => {
      if (interactive)
        return choose(
          host,
          "How?",
          ways.map(({ id, name }) => ({ name, value: id })),
        );
      const known = ways.map(({ name }) => name).join(", ");
      throw new FerryError("usage", `the agent "${agent}" has several ways to sign in: ${known}`, {
        hint: "run it in a terminal",
      });
    },
    tell: (line) => void print.note(line),
    attach: (words, env) => host.processes.attach(words, { env }),
  });
  await keepSignIn(host.files, data, agent, method);
}

/** Takes what an agent signed in with out of ferry. */
export async function forgetAgent({ host }: Context, agent: string): Promise<void> {
  const { forgetSignIn } = await import("../../../service/agent/sign-in/store.ts");
  await forgetSignIn(host.files, findFolders(host).data, agent);
}

async function commandOf({ host }: Context, name: string): Promise<readonly string[]> {
  const { outsideCommand } = await import("../../../service/agent/survey.ts");
  const settings = (await readConfig(host)).settings ?? {};
  return outsideCommand(host, findFolders(host).data, settings, name);
}
