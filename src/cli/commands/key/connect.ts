import { FerryError } from "../../../base/errors.ts";
import type { Context } from "../../context.ts";
import { connect, type Connection } from "../../flows/host/connect.ts";
import { requireReachable } from "../../flows/host/reachable.ts";
import { whileWaiting } from "../../flows/waiting.ts";

/**
 * A service that makes keys for programs.
 * @throws FerryError failure for one that makes them in its portal alone
 */
export async function connectForKeys(context: Context): Promise<Connection> {
  const connection = await connect(context);
  const { client, name } = connection;
  if ((await whileWaiting(context, name, () => client.capabilities())).has("keys")) return connection;
  await requireReachable(connection);
  throw new FerryError("failure", `${name} makes and revokes keys only in its portal`, {
    hint: "look for its API or developer settings",
  });
}
