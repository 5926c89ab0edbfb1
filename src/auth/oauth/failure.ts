import {
  AuthorizationResponseError,
  OperationProcessingError,
  PARSE_ERROR,
  ResponseBodyError,
  RESPONSE_IS_NOT_JSON,
  UnsupportedOperationError,
  WWWAuthenticateChallengeError,
} from "oauth4webapi";
import { FerryError, NoAnswerError } from "../../base/errors.ts";
import { cut, oneLine, textOf } from "../../base/text.ts";
import { isHtml } from "../../client/http/body.ts";

/** What was asked for, in words. */
export type Errand = "login" | "revocation";

/**
 * What went wrong in a login, in our words; `host` is who answered. Texts of the service are cut and made harmless. The library's own
 * error is no cause of it: that holds the answer, and with it the key.
 */
export function loginError(error: unknown, host: string, errand: Errand = "login"): unknown {
  if (error instanceof ResponseBodyError) return refusal(error, { host, errand });
  if (error instanceof AuthorizationResponseError) return refusal(error, { host, errand });
  const status = statusOf(error);
  if (status !== undefined && status >= 400) return brokenAnswer(status, `${host} answered the ${errand} with ${status}`);
  if (!(error instanceof OperationProcessingError || error instanceof UnsupportedOperationError)) return error;
  if (error.code === RESPONSE_IS_NOT_JSON || error.code === PARSE_ERROR)
    return new FerryError("unavailable", `${host} answered the ${errand} with ${contentOf(error.cause)}`, {
      hint: "is a proxy or a sign-in page in the way? check the host's address, and try again",
    });
  return new FerryError("failure", `${host} answered the ${errand} with something unexpected: ${oneLine(error.message)}`, {
    hint: "tell whoever runs the service, or pipe a key of its portal to ferry login --with-token",
  });
}

/** Whether the service's word for it is this one. */
export function isRefusal(error: unknown, ...codes: readonly string[]): boolean {
  return (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) && codes.includes(error.error);
}

/** What a service says of a login itself (RFC 6749, 5.2; RFC 8628, 3.5), under whatever status. */
const words: readonly string[] = [
  ...["invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type", "invalid_scope"],
  ...["authorization_pending", "slow_down", "access_denied", "expired_token"],
];

/** Whether the service has answered the login itself, and will say the same again. */
export function isAnswer(error: unknown): boolean {
  return isRefusal(error, ...words);
}

/** Whether the same call may go well a little later. */
export function isTransient(error: unknown): boolean {
  if (error instanceof NoAnswerError) return true;
  if (isAnswer(error)) return false;
  const status = statusOf(error) ?? 0;
  return status === 429 || status >= 500;
}

/** Whether it is silent, or says itself that it is asked too much. */
export function isOverload(error: unknown): boolean {
  return error instanceof NoAnswerError ? error.code === "ETIMEDOUT" : statusOf(error) === 429;
}

function brokenAnswer(status: number, message: string): FerryError {
  const passing = status >= 500 || status === 429;
  return new FerryError(passing ? "unavailable" : "failure", message, {
    status,
    hint: passing
      ? "try again later, or pipe a key of its portal to ferry login --with-token"
      : "check the host's address, or pipe a key of its portal to ferry login --with-token",
  });
}

/** What came in the place of JSON; the body itself is read by then. */
function contentOf(cause: unknown): string {
  // V8's word for an empty text, too.
  if (cause instanceof SyntaxError && /end of JSON input/iu.test(cause.message)) return "nothing, or half of an answer";
  if (!(cause instanceof Response)) return "something that is no JSON";
  return isHtml(cause.headers.get("content-type")) ? "a web page" : "something that is no JSON";
}

interface Refusal {
  readonly error: string;
  /** Nobody has checked what it is. */
  readonly error_description?: unknown;
  readonly status?: number;
}

function refusal({ error, error_description, status }: Refusal, { host, errand }: { host: string; errand: Errand }): FerryError {
  const code = cut(oneLine(error), 100);
  // Who checks a form says which field is wrong, and the message ends with that word already.
  const described = oneLine(textOf(error_description))
    .replace(/^(?:code|device_code): *(?=(?:is|was)\b)/u, "it ")
    .replace(/^(?:code|scope|device_code): */u, "");
  const said = described === "" ? undefined : cut(described, 300);
  const again = "run ferry login again";
  const notNow = new FerryError("unavailable", `${host} can't do the ${errand} now: ${said ?? code}`, {
    code,
    status,
    hint: "try again later",
  });
  switch (error) {
    case "access_denied":
      return new FerryError("auth", "the login was denied in the browser", { code });
    case "expired_token":
      return new FerryError("auth", "the code has expired", { code, hint: again });
    case "invalid_grant":
      return new FerryError("auth", `${host} refused the code: ${said ?? "it is wrong, used or too old"}`, {
        code,
        status,
        hint: again,
      });
    case "invalid_scope":
      return new FerryError("auth", `${host} refused the scopes: ${said ?? code}`, {
        code,
        status,
        hint: "choose others: --scopes",
      });
    case "temporarily_unavailable":
    case "server_error":
      return notNow;
    default:
      if (status === 429) return notNow;
      // That ferry is unknown there, or asks for what isn't offered, is so the next time, too.
      return new FerryError("auth", `${host} refused the ${errand}: ${said ?? code}`, {
        code,
        status,
        hint: "make a key in its portal, and pipe it to ferry login --with-token",
      });
  }
}

function statusOf(error: unknown): number | undefined {
  return responseOf(error)?.status;
}

/** What was answered in the place of what was asked for. */
export function responseOf(error: unknown): Response | undefined {
  if (error instanceof WWWAuthenticateChallengeError || error instanceof ResponseBodyError) return error.response;
  return error instanceof OperationProcessingError && error.cause instanceof Response ? error.cause : undefined;
}
