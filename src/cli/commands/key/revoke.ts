import { loginAt, shown } from "../../../auth/address.ts";
import { FerryError } from "../../../base/errors.ts";
import { withShownId } from "../../../base/ids.ts";
import { oneLine, textOf } from "../../../base/text.ts";
import { readCliInfo } from "../../../client/capabilities.ts";
import { listAll } from "../../../client/pages.ts";
import { fields } from "../../../wire/fields.ts";
import type { Context } from "../../context.ts";
import type { Connection } from "../../flows/host/connect.ts";
import { theOneNamed } from "../../flows/named.ts";
import { confirm } from "../../flows/text.ts";
import { when } from "../../output/when.ts";
import type { Verb } from "../../verb.ts";
import { isRevoked, type KnownKey } from "./columns.ts";
import { connectForKeys } from "./connect.ts";

export const revoke: Verb = {
  name: "revoke",
  summary: "End an API key at once, wherever it is used",
  answer: fields.apiKey,
  examples: ["ferry key revoke nightly", "ferry key revoke key_4h2k9w3m7p5x1c8d --yes"],
  define: (command) => void command.argument("<key>", "id, or as much of it as ferry key list shows; or name"),
  async run(context, _, given: string) {
    const connection = await connectForKeys(context);
    const key = await findKey(context, connection, given);
    const name = oneLine(textOf(key.name ?? key.id));
    const { isOwn, whose } = await lookAt(connection, key);
    const which = isOwn ? ", which this login uses" : whose === undefined ? "" : `, which is ${whose}'s`;
    // Who named it by a part of its id sees the whole.
    const id = given === key.name ? "" : ` (${oneLine(key.id)})`;
    await confirm(context, `Revoke the key ${name}${id} of ${connection.name}${which}?`);
    const answer = await connection.client.revokeKey({ params: { keyId: key.id } });
    if (context.global.json) await context.print.json({ ...key, ...answer }, fields.apiKey);
    else
      await context.print.note(`the key ${name} (${key.id})${whose === undefined ? "" : `, which was ${whose}'s,`} is revoked`);
    if (isOwn)
      await context.print.warn(
        `it was the key of this login, and commands for ${connection.name} are refused now: ${wayBack(context, connection)}`,
      );
  },
};

/** How long it may take to know whose key it is, in ms: who ends one that got out doesn't wait. */
const patience = 3000;

/** Whether this login uses it, and else whose it is. A service that doesn't tell that keeps nobody from its end. */
async function lookAt(connection: Connection, { id, user_id, user_name }: KnownKey): Promise<{ isOwn: boolean; whose?: string }> {
  const info = await readCliInfo(connection.lastCalls(patience).readCli).catch(() => undefined);
  const name = oneLine(textOf(user_name));
  const isMine = name === "" || info?.user?.id === undefined || info.user.id === user_id;
  return { isOwn: info?.key?.id === id, ...(!isMine && { whose: name }) };
}

/** The embedded service doesn't end its own key. */
function wayBack({ host: { env } }: Context, { host }: Connection): string {
  return (env["FERRY_API_KEY"] ?? "") === "" ? loginAt(host) : "set FERRY_API_KEY to another key";
}

/**
 * By name among those that still work, by id among all, whole or as the table shows it. What is the name of one and the start of another's
 * id means neither: when the one is gone, the same command must not take the other.
 * @throws FerryError not_found where there is none, or all of that name are revoked; usage where several match
 */
async function findKey({ host }: Context, connection: Connection, given: string): Promise<KnownKey> {
  const all = await listAll(connection.client.listKeys);
  const namesakes = all.filter((key) => key.name === given);
  const called = namesakes.filter((key) => !isRevoked(key));
  // Else the same name would be what may have been meant.
  if (namesakes.length > 0 && called.length === 0 && !all.some(({ id }) => id === given))
    throw new FerryError("not_found", `the key "${shown(given)}" of ${connection.name} is revoked already`, {
      hint: `ferry key list${connection.argument}`,
    });
  const meant = [...new Set([...called, ...withShownId(all, given)])];
  const about = (key: KnownKey) => [key.name, when(key.created_at, host.terminal.stderr.isTTY, host.clock.now()), key.user_name];
  return theOneNamed(given, { all, called: meant, about }, { one: "key", several: "keys", noun: "key" }, connection);
}
