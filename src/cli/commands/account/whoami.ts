import { identify, scopesOf } from "../../../auth/login.ts";
import { textOf } from "../../../base/text.ts";
import { fields } from "../../../wire/fields.ts";
import type { Context } from "../../context.ts";
import { namedHost } from "../../flows/host/choose.ts";
import { connect } from "../../flows/host/connect.ts";
import { whileWaiting } from "../../flows/waiting.ts";
import { showOne } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";

export const whoami: Verb = {
  name: "whoami",
  summary: "Show who you are to the service",
  schema: ["host", ...fields.cliInfo],
  examples: ["ferry whoami", "ferry whoami --json --fields user,workspace"],
  async run(context) {
    const connection = await connect(context, undefined, { silent: true });
    const identity = await whileWaiting(context, connection.name, () => identify(connection.client));
    const { account, info } = identity;
    const lines: [string, string | null | undefined][] = [
      ["host", connection.name],
      ["user", info === undefined ? undefined : [...new Set([textOf(info.user?.name), account])].filter(Boolean).join(" ")],
      ["workspace", info?.workspace?.name],
      ["scopes", scopesOf(identity)?.join(", ")],
      // A service that says nothing of it hasn't said never.
      ["key expires", info?.key?.expires_at === null ? "never" : info?.key?.expires_at],
      ["service", [info?.service?.name, info?.service?.version].map(textOf).filter(Boolean).join(" ")],
    ];
    const why = connection.why ?? (isByVariable(context) ? "FERRY_HOST names it" : undefined);
    if (why !== undefined) await context.print.note(`host: ${connection.name}, since ${why}`);
    await showOne(context, { host: connection.host, ...(info ?? { account }) }, lines, ["host", ...fields.cliInfo]);
  },
};

/** Whoever typed --host knows. */
function isByVariable(context: Context): boolean {
  return context.global.host === undefined && namedHost(context) !== undefined;
}
