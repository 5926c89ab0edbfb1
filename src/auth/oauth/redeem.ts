import { authorizationCodeGrantRequest, None, processAuthorizationCodeResponse, validateAuthResponse } from "oauth4webapi";
import { NoAnswerError } from "../../base/errors.ts";
import { loginClient } from "../../wire/login.ts";
import { callOptions, type Caller } from "./caller.ts";
import { loginError } from "./failure.ts";
import type { Binding } from "./pkce.ts";
import { patience, rested } from "./rest.ts";
import type { LoginServer } from "./server.ts";
import { keyOfCall, type Redeeming } from "./token-call.ts";

/** An answer of the authorization endpoint, and the address that it was asked to go to. */
export interface Answer {
  readonly parameters: URLSearchParams;
  readonly redirectUri: string;
  readonly redeeming: Redeeming;
}

/**
 * The key for an answer (RFC 6749, 4.1.3), whose state, issuer (RFC 9207) and error are judged first.
 * @throws FerryError auth where the login was denied or the code is refused, unavailable where no answer comes
 */
export async function redeem(
  { address, metadata }: LoginServer,
  caller: Caller,
  { verifier, state }: Binding,
  { parameters, redirectUri, redeeming }: Answer,
): Promise<string> {
  const client = { client_id: loginClient };
  try {
    const valid = validateAuthResponse(metadata, client, parameters, state);
    const options = callOptions(caller, address);
    return await rested(caller, patience.login, () =>
      keyOfCall(
        redeeming,
        () => authorizationCodeGrantRequest(metadata, client, None(), valid, redirectUri, verifier, options),
        (response) => processAuthorizationCodeResponse(metadata, client, response),
      ),
    );
  } catch (error) {
    if (error instanceof NoAnswerError && error.sent) throw unanswered(error);
    throw loginError(error, new URL(address).host);
  }
}

/** It isn't asked a second time: a code that is used twice is taken for stolen, and its key revoked (RFC 6749, 4.1.2). */
function unanswered({ message, code, cause }: NoAnswerError): NoAnswerError {
  return new NoAnswerError(message, { sent: true, code, hint: "run ferry login again", cause });
}
