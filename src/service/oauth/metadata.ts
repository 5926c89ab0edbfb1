import { scopes } from "../../wire/values.ts";
import { deviceGrant } from "./grant.ts";

/** Where the endpoints are, below the issuer. */
export const endpoints = {
  metadata: "/.well-known/oauth-authorization-server",
  authorize: "/oauth/authorize",
  token: "/oauth/token",
  device: "/oauth/device",
  revoke: "/oauth/revoke",
} as const;

/** Authorization server metadata (RFC 8414, 2). */
export function metadata(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: issuer + endpoints.authorize,
    token_endpoint: issuer + endpoints.token,
    device_authorization_endpoint: issuer + endpoints.device,
    revocation_endpoint: issuer + endpoints.revoke,
    scopes_supported: scopes,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", deviceGrant],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    authorization_response_iss_parameter_supported: true,
  };
}
