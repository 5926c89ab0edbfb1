import { type TokenEndpointResponse, UnsupportedOperationError } from "oauth4webapi";

/**
 * The key of a token answer. Keys are sent as they are, and one of another type must not be used so (RFC 6749, 7.1).
 * @throws UnsupportedOperationError where it is no bearer token (RFC 6750)
 */
export function bearerOf({ access_token, token_type }: TokenEndpointResponse): string {
  if (token_type !== "bearer") throw new UnsupportedOperationError("token_type is not Bearer");
  return access_token;
}
