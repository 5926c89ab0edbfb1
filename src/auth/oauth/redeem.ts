import { authorizationCodeGrantRequest, None, processAuthorizationCodeResponse, validateAuthResponse } from "oauth4webapi";
import { loginClient } from "../../wire/login.ts";
import { bearerOf } from "./bearer.ts";
import { callOptions, type Caller } from "./caller.ts";
import { loginError } from "./failure.ts";
import type { Binding } from "./pkce.ts";
import type { LoginServer } from "./server.ts";

/** An answer of the authorization endpoint, and the address that it was asked to go to. */
export interface Answer {
  readonly parameters: URLSearchParams;
  readonly redirectUri: string;
}

/**
 * The key for an answer (RFC 6749, 4.1.3), whose state, issuer (RFC 9207) and error are judged first.
 * @throws FerryError auth where the login was denied or the code is refused
 */
export async function redeem(
  { address, metadata }: LoginServer,
  caller: Caller,
  { verifier, state }: Binding,
  { parameters, redirectUri }: Answer,
): Promise<string> {
  const client = { client_id: loginClient };
  try {
    const valid = validateAuthResponse(metadata, client, parameters, state);
    const options = callOptions(caller, address);
    const response = await authorizationCodeGrantRequest(metadata, client, None(), valid, redirectUri, verifier, options);
    return bearerOf(await processAuthorizationCodeResponse(metadata, client, response));
  } catch (error) {
    throw loginError(error, new URL(address).host);
  }
}
