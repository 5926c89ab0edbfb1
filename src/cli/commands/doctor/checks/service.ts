import { knock } from "../../../../auth/knock.ts";
import { identify, namelessAccount } from "../../../../auth/login.ts";
import { FerryError } from "../../../../base/errors.ts";
import { textOf } from "../../../../base/text.ts";
import type { Context } from "../../../context.ts";
import { chosenName } from "../../../flows/host/choose.ts";
import { clientFor, keyFor } from "../../../flows/host/connect.ts";
import { callerOf } from "../../../flows/login/caller.ts";
import { checkPlace, findLocal } from "../../../flows/local/find.ts";
import type { Check, Finding } from "../check.ts";
import { chosenHost } from "../chosen.ts";

export const service: Check = {
  name: "service",
  async run(context) {
    const chosen = await chosenHost(context);
    if (chosen === undefined)
      return {
        verdict: "warning",
        says: "not logged in to any",
        hint: "ferry login --host URL; or --host local, on this machine",
      };
    if (chosen.kind === "local") return embedded(context);
    const key = await keyFor(context, chosen).catch(async (error: unknown) => {
      // What would keep the login from it is told first: who can't be reached takes no login either.
      await knock(chosen.url, callerOf(context));
      throw withoutHint(error);
    });
    const target = { send: context.host.network.send, url: chosen.url, key, origin: chosen.url, hasty: true };
    const { account, info } = await identify(clientFor(context, target).client);
    const version = [info?.service?.name, info?.service?.version].map(textOf).filter(Boolean).join(" ");
    const whose = account === namelessAccount ? "" : ` of ${account}`;
    return { verdict: "ok", says: `${chosenName(chosen)} takes the key${whose}${version === "" ? "" : ` (${version})`}` };
  },
};

async function embedded({ host }: Context): Promise<Finding> {
  const running = await findLocal(host);
  if (running === undefined) await checkPlace(host);
  if (running === undefined) return { verdict: "ok", says: "the embedded service starts when it is needed" };
  return { verdict: "ok", says: `the embedded service runs (process ${running.pid}, version ${running.version})` };
}

/** What helps against a keychain that gives nothing stands in the line of the keychain. */
function withoutHint(error: unknown): unknown {
  if (!(error instanceof FerryError) || !keychainCodes.includes(error.code ?? "")) return error;
  return new FerryError(error.kind, `the key for it can't be read: ${error.message}`, { cause: error });
}

const keychainCodes: readonly string[] = ["unavailable", "locked", "timeout"];
