import { jsonAnswer } from "../http/answer.ts";

/** The words of RFC 6749 (4.1.2.1, 5.2), RFC 8628 (3.5) and RFC 7009 (2.2.1). */
export type OAuthErrorCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "unsupported_grant_type"
  | "unsupported_response_type"
  | "invalid_scope"
  | "access_denied"
  | "authorization_pending"
  | "slow_down"
  | "expired_token"
  | "temporarily_unavailable"
  | "unsupported_token_type";

/** A refusal in OAuth's form; the description never holds what the client sent. */
export class OAuthError extends Error {
  override readonly name = "OAuthError";
  readonly code: OAuthErrorCode;

  constructor(code: OAuthErrorCode, description: string) {
    super(description);
    this.code = code;
  }
}

/** RFC 6749, 5.2; a client that isn't known is 401, too many logins at once 429. */
export function oauthErrorAnswer({ code, message }: OAuthError): Response {
  const status = code === "invalid_client" ? 401 : code === "temporarily_unavailable" ? 429 : 400;
  return jsonAnswer({ error: code, error_description: message }, status, { pragma: "no-cache" });
}
