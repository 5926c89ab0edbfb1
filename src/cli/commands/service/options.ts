import { type Command, Option } from "commander";
import { resolve } from "node:path";
import { FerryError } from "../../../base/errors.ts";
import { shellWord } from "../../../base/words.ts";
import type { Context } from "../../context.ts";
import { sandboxNames, type SandboxName } from "../../flows/local/serve.ts";

export interface ServiceOptions {
  readonly data?: string;
  readonly sandbox?: SandboxName;
  readonly agent?: string;
  readonly strict: boolean;
}

export function addServiceOptions(command: Command): void {
  command
    .option("--data <dir>", "where its database, repositories and sandboxes lie")
    .addOption(
      new Option("--sandbox <driver>", "what locks the agents in: oci is podman or docker, process no sandbox at all").choices(
        sandboxNames,
      ),
    )
    .option("--agent <name>", "the agent of sessions that name none")
    .option("--strict", "refuse to run where a limit can't be enforced, or the sandbox is weak", false);
}

/** The same again for `ferry serve`; the data folder goes by the environment, since all that looks for the service does too. */
export function serviceArguments({ sandbox, agent, strict }: ServiceOptions): string[] {
  const named = Object.entries({ "--sandbox": sandbox, "--agent": agent });
  return [...named.flatMap(([flag, value]) => (value === undefined ? [] : [flag, value])), ...(strict ? ["--strict"] : [])];
}

/** Of a command about the service with another data folder; what is a service's that isn't there yet has `addServiceOptions`. */
export function addData(command: Command): Command {
  return command.option("--data <dir>", "of the service with this data folder, as ferry serve --data has it");
}

/** The context with the data folder that was asked for. */
export function withData(context: Context, data: string | undefined): Context {
  if (data === undefined) return context;
  const env = { ...context.host.env, FERRY_DATA_DIR: resolve(context.folder, data) };
  return { ...context, host: { ...context.host, env } };
}

/** The commands that take `--data`, without one. */
const withoutData = /\bferry service (?:user \w+|start|stop|status|logs)\b(?! --data)/gu;

/** Does what a command is for with that context; what a hint names is then about the same service. */
export async function aboutData(
  given: Context,
  data: string | undefined,
  act: (context: Context) => Promise<void>,
): Promise<void> {
  try {
    await act(withData(given, data));
  } catch (error) {
    if (data === undefined || !(error instanceof FerryError) || error.hint === undefined) throw error;
    const { kind, message, status, code, details } = error;
    const folder = shellWord(resolve(given.folder, data));
    const hint = error.hint.replace(withoutData, (command) => `${command} --data ${folder}`);
    throw new FerryError(kind, message, { hint, status, code, details, cause: error });
  }
}
