import type { Scope } from "../../wire/values.ts";
import { hashSecret, mintSecret } from "../keys/secret.ts";
import { Problem } from "../problem.ts";
import type { UserRecord } from "../store/store.ts";
import { checkClient, isRedirectUri } from "./client.ts";
import { OAuthError } from "./error.ts";
import type { GrantDeps } from "./grant.ts";
import { needed, type Parameters } from "./parameters.ts";
import { keyName, readRequester, type Requester } from "./requester.ts";
import { readScopes } from "./scopes.ts";

/** A client that asks for a code (RFC 6749, 4.1.1; RFC 7636, 4.3). */
export interface AuthorizationRequest {
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly state: string;
  readonly challenge: string;
  readonly scopes: readonly Scope[];
  readonly requester: Requester;
}

/** How long a code may be redeemed, in ms: a redirect takes seconds, a person who pastes it a minute. */
const codeLifetime = 120_000;

/**
 * The request, or where the browser goes with what is wrong with it.
 * @throws Problem 400 for a client or an address that nobody may be sent to (RFC 6749, 4.1.2.1)
 */
export function readAuthorization(parameters: Parameters, issuer: string): AuthorizationRequest | { readonly refused: string } {
  const redirect_uri = parameters["redirect_uri"] ?? "";
  if (!isRedirectUri(redirect_uri))
    throw new Problem(400, "invalid_request", "redirect_uri: is not one of this client's; nothing was sent there");
  try {
    const client_id = checkClient(parameters["client_id"]);
    return { client_id, redirect_uri, ...readRest(parameters) };
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    if (error.code === "invalid_client") throw new Problem(400, "invalid_request", error.message);
    return {
      refused: backTo({ redirect_uri, state: parameters["state"] ?? "" }, issuer, {
        error: error.code,
        error_description: error.message,
      }),
    };
  }
}

/** The address that takes the answer back to the client, with the issuer against mix-ups (RFC 9207). */
export function backTo(
  { redirect_uri, state }: Pick<AuthorizationRequest, "redirect_uri" | "state">,
  issuer: string,
  answer: Readonly<Record<string, string>>,
): string {
  const url = new URL(redirect_uri);
  for (const [name, value] of Object.entries({ ...answer, ...(state !== "" && { state }), iss: issuer }))
    url.searchParams.set(name, value);
  return url.href;
}

/** A code for what the user has approved; it is worth nothing without the verifier. */
export async function grantCode(
  request: AuthorizationRequest,
  user: UserRecord,
  { store, clock, random }: GrantDeps,
): Promise<string> {
  const code = mintSecret(random);
  const { client_id, redirect_uri, challenge, scopes, requester } = request;
  await store.logins.insertCode({
    hash: hashSecret(code),
    client_id,
    redirect_uri,
    challenge,
    user_id: user.id,
    scopes,
    key_name: keyName(requester),
    expires_at: new Date(clock.now() + codeLifetime).toISOString(),
    key_id: null,
  });
  return code;
}

function readRest(parameters: Parameters): Omit<AuthorizationRequest, "client_id" | "redirect_uri"> {
  if (parameters["response_type"] !== "code")
    throw new OAuthError("unsupported_response_type", "response_type: only code is supported");
  if (parameters["code_challenge_method"] !== "S256")
    throw new OAuthError("invalid_request", "code_challenge_method: must be S256");
  const challenge = needed(parameters, "code_challenge");
  if (!/^[\w-]{43}$/u.test(challenge)) throw new OAuthError("invalid_request", "code_challenge: is not a sha256 in base64url");
  const state = needed(parameters, "state");
  return { state, challenge, scopes: readScopes(parameters["scope"]), requester: readRequester(parameters) };
}
