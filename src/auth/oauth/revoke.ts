import { None, processRevocationResponse, revocationRequest } from "oauth4webapi";
import { FerryError } from "../../base/errors.ts";
import { loginClient } from "../../wire/login.ts";
import { callOptions, type Caller } from "./caller.ts";
import { loginError } from "./failure.ts";
import { patience, rested } from "./rest.ts";
import { findLoginServer } from "./server.ts";

/**
 * Ends a key at the service that gave it (RFC 7009).
 * @throws FerryError where that can't be done: the key is still valid there
 */
export async function revokeKey(address: string, key: string, caller: Caller): Promise<void> {
  const server = await findLoginServer(address, caller);
  const { host } = new URL(address);
  if (server?.metadata.revocation_endpoint === undefined)
    throw new FerryError("failure", `${host} lets no login revoke its own key`);
  try {
    const options = callOptions(caller, address);
    await rested(caller, patience.revocation, async () =>
      processRevocationResponse(await revocationRequest(server.metadata, { client_id: loginClient }, None(), key, options)),
    );
  } catch (error) {
    throw loginError(error, host, "revocation");
  }
}
